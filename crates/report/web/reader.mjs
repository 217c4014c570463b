// Opens pages in headless Chromium as a reader would, and looks at what is drawn. CHROMIUM names the browser.

import assert from 'node:assert/strict';
import { after, it as test } from 'node:test';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { chromium } from 'playwright-core';

const flags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

/** The files that a variable of the environment names, separated by colons. */
export function filesOf(variable) {
  const files = (process.env[variable] ?? '').split(':').filter(Boolean);
  assert.ok(files.length > 0, `${variable} names no page`);
  return files;
}

export const fileUrl = (file) => pathToFileURL(resolve(file)).href;

const FRAME_SECONDS_MAX = 10;
// Five times what the longest test takes on a busy machine; three of them fit into the time of the whole run.
const ATTEMPT_SECONDS_MAX = 150;
const ATTEMPTS = 3;
const opened = new Set();

/** The browser of a file of tests, and the process of it, which can be killed when it answers no more. */
let running;

async function browser() {
  running ??= chromium.launchServer({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: flags })
    .then(async (server) => ({ server, browser: await chromium.connect(server.wsEndpoint()) }));
  return (await running).browser;
}

async function kill() {
  const killed = await running?.catch(() => undefined);
  running = undefined;
  opened.clear();
  await killed?.server.kill();
}

/** Closes the pages of a test; a browser that does not manage it has served. */
async function close() {
  const closing = Promise.all([...opened].map((page) => page.context().close()));
  opened.clear();
  await within(FRAME_SECONDS_MAX, closing).catch(kill);
}

after(kill);

/**
 * A test of pages. Chromium 156 without a GPU loses, about once in 4,000 frames that follow a scroll, the news that
 * the tiles of a page are drawn: no frame of the page comes any more, and a call that waits for one may wait for ever. Such a
 * test begins anew, in another browser.
 */
export const it = (name, body) => test(name, async (t) => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await within(ATTEMPT_SECONDS_MAX, body(t));
      return await close();
    } catch (error) {
      const again = attempt < ATTEMPTS && (error instanceof Late || (await anyStands()));
      await kill();
      if (!again) throw error;
      t.diagnostic(`the browser draws no more frames (${error.message}); attempt ${attempt + 1}`);
    }
  }
});

class Late extends Error {}

/** Awaits a promise for so many seconds. */
async function within(seconds, awaited) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Late(`no end within ${seconds} s`)), 1000 * seconds);
  });
  try {
    return await Promise.race([awaited, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a page that a test left open draws no frame any more. */
async function anyStands() {
  const pages = [...opened].filter((page) => !page.isClosed());
  const answers = await Promise.allSettled(pages.map((page) => within(2 * FRAME_SECONDS_MAX, frames(page))));
  return answers.some(({ status }) => status === 'rejected');
}

/** A page with everything it complained about and asked for. */
export async function open(file, options = {}, prepare = async () => {}) {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  opened.add(page);
  const complaints = [];
  const requests = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => requests.push(request.url()));
  await prepare(page);
  await page.goto(fileUrl(file));
  return { page, complaints, requests };
}

/** Waits for two frames: in the first, what was asked for is laid out, and in the second it has been drawn. */
export const frames = (page) => page.evaluate((seconds) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error(`no frame within ${seconds} s`)), 1000 * seconds);
  requestAnimationFrame(() => requestAnimationFrame(done));
}), FRAME_SECONDS_MAX);

/** Shows one of the pages a report is read as. */
export async function turnTo(page, id) {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#${id}`);
  await page.waitForFunction((wanted) => !document.getElementById(wanted).closest('.page').hidden, id);
}

/** Ids of the pages: all if they are few, else those of overview, reviews and two drives. */
export async function pagesOf(page) {
  const ids = await page.evaluate(() => [...document.querySelectorAll('.page')].map((element) => element.id));
  const drives = ids.filter((id) => id.startsWith('drive/'));
  return drives.length > 6 ? [...ids.filter((id) => !drives.includes(id)), drives[0], drives.at(-1)] : ids;
}

/** Unfolds everything on a page and walks down it, so that every chart comes into view. */
export async function walk(page) {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('.page:not([hidden]) details:not(.runs)')) details.open = true;
  });
  // The page grows while charts draw, so its height is asked for anew at every step.
  for (let y = 0; y < (await page.evaluate(() => document.documentElement.scrollHeight)); y += 900) {
    await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), y);
    await frames(page);
  }
}

/** The number of paths and texts of a picture, or of pixels that are not blank on a canvas. */
export const drawnShapes = (plot) => plot.evaluate((element) => {
  const canvas = element.querySelector('canvas');
  if (!canvas) return element.querySelectorAll('svg path, svg text').length;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, index) => index % 4 === 3 && value > 0).length;
});

/** Texts of charts in sight that reach beyond their picture, or lie over another one. */
export const faults = (page) => page.evaluate(() => {
  const found = [];
  for (const svg of document.querySelectorAll('.page:not([hidden]) .plot svg')) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) continue;
    const id = svg.closest('.plot').id;
    const texts = [...svg.querySelectorAll('text')]
      .filter((text) => text.textContent.trim() && Number(text.getAttribute('fill-opacity') ?? 1) > 0)
      .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
    for (const { text, box } of texts) {
      if (box.right > frame.right + 2 || box.left < frame.left - 2) found.push(`${id}: ${text} is cut off`);
    }
    for (const [index, one] of texts.entries()) {
      for (const other of texts.slice(index + 1)) {
        // A box is a little higher than its letters.
        const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (wide > 3 && high > 5) found.push(`${id}: ${one.text} lies over ${other.text}`);
      }
    }
  }
  return found;
});
