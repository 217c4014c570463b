// Opens a report in headless Chromium as a reader would, from its file, and tries what it offers.
//
//   REPORT_HTML=path/to/report.html npm test
//
// REPORT_HTML may name several files, separated by colons. CHROMIUM names the browser.

import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

import { chromium } from 'playwright-core';

const BYTES_MAX = 6_000_000;
const reports = (process.env.REPORT_HTML ?? '').split(':').filter(Boolean);
const flags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

let browser;

before(async () => {
  assert.ok(reports.length > 0, 'REPORT_HTML names no report');
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: flags });
});

after(() => browser?.close());

/** A page with everything it complained about and asked for. */
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
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
  await page.goto(pathToFileURL(resolve(file)).href);
  return { page, complaints, requests, close: () => context.close() };
}

/** Unfolds everything and walks down the page, so that every chart comes into view. */
async function walk(page) {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('main details')) details.open = true;
  });
  // The page grows while charts draw, so its height is asked for anew at every step.
  for (let y = 0; y < (await page.evaluate(() => document.documentElement.scrollHeight)); y += 500) {
    await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), y);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
}

const drawnShapes = (plot) => plot.evaluate((element) => element.querySelectorAll('svg path, svg text').length);

for (const file of reports) {
  describe(`report ${file}`, () => {
    it('is one file of moderate size that opens fast', async (t) => {
      assert.ok((await stat(file)).size <= BYTES_MAX);
      const { page, close } = await open(file);
      const ms = await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd);
      const first = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
      t.diagnostic(`first paint after ${first.toFixed(0)} ms, loaded after ${ms.toFixed(0)} ms`);
      await close();
    });

    it('draws every chart, complains of nothing and asks for nothing', async () => {
      const { page, complaints, requests, close } = await open(file);
      await walk(page);
      const plots = await page.locator('.plot').all();
      assert.ok(plots.length > 0, 'the report has charts');
      for (const plot of plots) {
        const id = await plot.getAttribute('id');
        assert.ok((await drawnShapes(plot)) > 5, `${id} is drawn`);
        assert.match(await plot.getAttribute('aria-label'), /Data button/, `${id} is described`);
      }
      assert.deepEqual(complaints, []);
      assert.deepEqual(requests.filter((url) => !url.startsWith('data:')), [page.url()]);
      await close();
    });

    it('draws only what is near the view', async () => {
      const { page, close } = await open(file);
      const last = page.locator('.family .plot').last();
      assert.equal(await drawnShapes(last), 0);
      await close();
    });

    it('switches a chart between logarithmic and linear', async () => {
      const { page, complaints, close } = await open(file);
      const figure = page.locator('figure.chart').first();
      await figure.scrollIntoViewIfNeeded();
      const button = figure.getByRole('button', { name: 'Log scale' });
      const ticks = () => figure.locator('svg text').allTextContents();
      const pressed = await button.getAttribute('aria-pressed');
      const before = await ticks();
      await button.click();
      assert.notEqual(await button.getAttribute('aria-pressed'), pressed);
      assert.notDeepEqual(await ticks(), before);
      assert.deepEqual(complaints, []);
      await close();
    });

    it('shows the data of a chart, and saves them as CSV', async () => {
      const { page, complaints, close } = await open(file);
      const figure = page.locator('figure.chart').first();
      const button = figure.getByRole('button', { name: 'Data' });
      await button.click();
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      const rows = await figure.locator('.chart-data tbody tr').count();
      assert.ok(rows > 0);
      const saving = page.waitForEvent('download');
      await figure.getByRole('button', { name: 'Download CSV' }).click();
      const download = await saving;
      assert.match(download.suggestedFilename(), /\.csv$/);
      const csv = await readFile(await download.path(), 'utf8');
      assert.equal(csv.trimEnd().split('\r\n').length, rows + 1);
      await button.click();
      assert.equal(await figure.locator('.chart-data').isVisible(), false);
      assert.deepEqual(complaints, []);
      await close();
    });

    it('redraws what lies behind the numbers for another step', async () => {
      const { page, complaints, close } = await open(file);
      for (const behind of await page.locator('details.behind').all()) {
        const labels = await behind.locator('[data-pick] option').allTextContents();
        if (labels.length < 2) continue;
        await behind.locator('summary').click();
        const plot = behind.locator('.plot').first();
        await plot.scrollIntoViewIfNeeded();
        await plot.locator('svg').waitFor();
        const before = await plot.innerHTML();
        await behind.locator('[data-pick]').selectOption(labels.at(-1));
        assert.notEqual(await plot.innerHTML(), before);
        assert.ok((await drawnShapes(plot)) > 5);
        break;
      }
      assert.deepEqual(complaints, []);
      await close();
    });

    it('turns dark and back, charts included', async () => {
      const { page, complaints, close } = await open(file, { colorScheme: 'light' });
      const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await page.locator('figure.chart svg').first().waitFor();
      const ink = () => page.locator('figure.chart svg text').first().evaluate((text) => text.getAttribute('fill') ?? text.style.fill);
      const [light, lightInk] = [await paper(), await ink()];
      const toggle = page.getByRole('button', { name: /light and dark/ });
      await toggle.click();
      assert.notEqual(await paper(), light);
      assert.notEqual(await ink(), lightInk);
      await toggle.click();
      assert.equal(await paper(), light);
      assert.deepEqual(complaints, []);
      await close();
    });

    it('follows a system that prefers dark', async () => {
      const [light, dark] = await Promise.all(['light', 'dark'].map((colorScheme) => open(file, { colorScheme })));
      const paper = ({ page }) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.notEqual(await paper(light), await paper(dark));
      await Promise.all([light.close(), dark.close()]);
    });

    it('fits a phone: only boxes scroll sideways, never the page', async () => {
      const { page, complaints, close } = await open(file, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      await walk(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
      const contents = page.locator('.menu summary');
      await contents.click();
      await page.locator('.menu a').first().click();
      assert.equal(await page.locator('.menu').getAttribute('open'), null);
      assert.deepEqual(complaints, []);
      await close();
    });

    it('has one title, a verdict table, and names for all it offers', async () => {
      const { page, close } = await open(file);
      await page.locator('figure.chart button[data-table]').first().click();
      assert.equal(await page.locator('h1').count(), 1);
      const verdicts = page.getByRole('table', { name: /Verdict on every drive/ });
      assert.ok((await verdicts.locator('tbody tr').count()) > 0);
      const unnamed = await page.evaluate(() => {
        const named = (element) =>
          element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.[0]?.textContent.trim();
        return [...document.querySelectorAll('button, a, summary, select')].filter((element) => !named(element)).length;
      });
      assert.equal(unnamed, 0);
      const loose = await page.evaluate(() => {
        const labels = [...document.querySelectorAll('[aria-labelledby], [aria-controls], [aria-describedby]')];
        const ids = labels.flatMap((element) =>
          ['aria-labelledby', 'aria-controls', 'aria-describedby'].flatMap((name) => element.getAttribute(name)?.split(' ') ?? []));
        const links = [...document.querySelectorAll('a[href^="#"]')].map((link) => link.hash.slice(1));
        return [...ids, ...links].filter((id) => !document.getElementById(id));
      });
      assert.deepEqual(loose, []);
      const twice = await page.evaluate(() => {
        const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
        return ids.filter((id, index) => ids.indexOf(id) !== index);
      });
      assert.deepEqual(twice, []);
      const skipped = await page.evaluate(() => {
        const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map((heading) => Number(heading.tagName[1]));
        return levels.filter((level, index) => index > 0 && level > levels[index - 1] + 1).length;
      });
      assert.equal(skipped, 0, 'heading levels are not skipped');
      await close();
    });

    it('can be used with the keyboard alone', async () => {
      const { page, close } = await open(file);
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'content');
      const button = page.locator('figure.chart button[data-table]').first();
      await button.focus();
      const outline = await button.evaluate((element) => getComputedStyle(element).outlineStyle);
      assert.equal(outline, 'solid');
      await page.keyboard.press('Enter');
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      await close();
    });
  });
}
