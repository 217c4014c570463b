// Opens the report of a run of SNIA's specification in headless Chromium: its plots, what they begin with, and
// what can be chosen.
//
//   PTS_HTML=path/to/index.html npm test
//
// It is of one drive and all six tests.

import assert from 'node:assert/strict';

import { drawnShapes, fileUrl, filesOf, it, open, pagesOf, turnTo, walk } from '../reader.mjs';

const [file] = filesOf('PTS_HTML');

/** The plots that the standard asks for, by test, beside the bars of each. */
const PLOTS = {
  'test/pts-iops': ['main', 'pts-matrix', 'pts-rounds', 'pts-window'],
  'test/pts-tp': ['main', 'pts-matrix', 'pts-rounds', 'pts-window'],
  'test/pts-lat': ['main', 'pts-matrix', 'pts-rounds', 'pts-window'],
  'test/pts-wsat': ['main', 'pts-course'],
  'test/pts-hir': ['main', 'pts-course', 'pts-rounds', 'pts-window'],
  'test/pts-xsr': ['main', 'pts-course'],
};

/** The page of the tests, all of it drawn. */
async function openTests(options) {
  const opened = await open(file, options);
  await turnTo(opened.page, 'tests/pts');
  await walk(opened.page);
  return opened;
}

const chart = (page, family, kind) => page.locator(`figure.chart[data-family="${family}"][data-kind="${kind}"]`);

async function inView(figure) {
  await figure.scrollIntoViewIfNeeded();
  await figure.locator('svg').first().waitFor();
  return figure;
}

it('draws every plot of the standard, complains of nothing and asks for nothing', async () => {
  const { page, complaints, requests } = await open(file);
  const drawn = {};
  for (const id of await pagesOf(page)) {
    await turnTo(page, id);
    await walk(page);
    for (const figure of await page.locator('.page:not([hidden]) figure.chart').all()) {
      const [family, kind] = await Promise.all(['data-family', 'data-kind'].map((name) => figure.getAttribute(name)));
      const plot = figure.locator('.plot');
      assert.ok((await drawnShapes(plot)) > 5, `${family} ${kind} is drawn`);
      assert.match(await plot.getAttribute('aria-label'), /Data button/, `${family} ${kind} is described`);
      (drawn[family] ??= []).push(kind);
    }
  }
  const sorted = (plots) => Object.fromEntries(Object.entries(plots).map(([family, kinds]) => [family, [...kinds].sort()]));
  assert.deepEqual(sorted(drawn), sorted(PLOTS));
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith('data:')), [fileUrl(file)]);
});

it('begins its linear axes at zero, except where a window is looked at closely', async () => {
  const { page, complaints } = await openTests();
  for (const [family, kinds] of Object.entries(PLOTS)) {
    for (const kind of kinds.filter((name) => name !== 'main')) {
      const figure = await inView(chart(page, family, kind));
      const log = figure.locator('button[data-log]');
      if ((await log.getAttribute('aria-pressed')) === 'true') await log.click();
      const texts = await figure.locator('svg text').allTextContents();
      const ticks = texts.filter((text) => /^[\d.,]+( ?(k|M|ns|µs|ms|s))?$/.test(text));
      const zero = texts.includes('0');
      if (kind === 'pts-window') assert.ok(!zero, `${family} ${kind}: ${texts.join('; ')}`);
      else assert.ok(zero && ticks.length > 2, `${family} ${kind}: ${texts.join('; ')}`);
    }
  }
  assert.deepEqual(complaints, []);
});

it('offers runs by what tells them apart, and draws each choice', async () => {
  const { page, complaints } = await openTests();
  const options = (figure, name) => figure.locator(`select[data-choice="${name}"] option`).allTextContents();
  const throughput = chart(page, 'test/pts-tp', 'pts-matrix');
  assert.deepEqual(await options(throughput, 'run'), ['1024 KiB', '128 KiB']);
  let tried = 0;
  for (const figure of await page.locator('.page:not([hidden]) figure.chart:has(select)').all()) {
    await inView(figure);
    for (const select of await figure.locator('select').all()) {
      const picture = () => figure.locator('.plot svg').innerHTML();
      const before = await picture();
      await select.selectOption({ index: 1 });
      assert.notEqual(await picture(), before, `${await figure.getAttribute('data-family')}: another choice is drawn`);
      assert.ok((await drawnShapes(figure.locator('.plot'))) > 5);
      tried += 1;
    }
  }
  assert.ok(tried > 8, `only ${tried} choices`);
  assert.deepEqual(complaints, []);
});

it('shows the values of a plot as the tables of the standard have them', async () => {
  const { page, complaints } = await openTests();
  for (const [family, kind, rows] of [['test/pts-iops', 'pts-matrix', 8], ['test/pts-lat', 'pts-matrix', 3], ['test/pts-lat', 'pts-window', 5]]) {
    const figure = await inView(chart(page, family, kind));
    await figure.locator('button[data-table]').click();
    assert.equal(await figure.locator('.chart-data tbody tr').count(), rows, `${family} ${kind}`);
  }
  assert.deepEqual(complaints, []);
});

it('fits a phone', async () => {
  const { page, complaints } = await openTests({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.deepEqual(complaints, []);
});
