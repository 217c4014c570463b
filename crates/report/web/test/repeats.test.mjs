// Opens a report of repeats in headless Chromium and looks for the intervals of its figures.
//
//   REPEATED_HTML=path/to/report-repeated.html npm test
//
// It is the one that a test of the crate makes up: the repeats of its first drive are alike, those of the others are not.

import assert from 'node:assert/strict';

import { filesOf, it, open, turnTo } from '../reader.mjs';

const [file] = filesOf('REPEATED_HTML');

/** A chart of a family, drawn. */
async function chartOf(page, family) {
  await turnTo(page, family);
  const figure = page.locator(`figure.chart[data-family="${family}"][data-kind="main"]`);
  await figure.scrollIntoViewIfNeeded();
  await figure.locator('svg').first().waitFor();
  return figure;
}

/** Whiskers have a line and two ends, of a width that nothing else has. */
const whiskers = async (figure) => (await figure.locator('svg path[stroke-width="1.4"]').count()) / 3;

async function dataOf(figure) {
  await figure.locator('button[data-table]').click();
  const cells = (row) => row.locator('th, td').allTextContents();
  const [head, ...rows] = await Promise.all((await figure.locator('.chart-data tr').all()).map(cells));
  return { head, rows };
}

for (const [family, chart] of [['test/a1', 'bars'], ['test/a2', 'lines']]) {
  it(`draws whiskers on ${chart} where repeats differ, and has them in its data`, async () => {
    const { page, complaints } = await open(file);
    const figure = await chartOf(page, family);
    assert.match(await figure.locator('.key').textContent(), /95 % confidence interval/);
    const { head, rows } = await dataOf(figure);
    const at = head.findIndex((name) => name.startsWith('± 95 %'));
    assert.ok(at > 0, head.join());
    const widths = rows.map((row) => row[at]);
    assert.ok(widths.includes('0') && widths.some((width) => width !== '0'), widths.join());
    assert.equal(await whiskers(figure), widths.filter((width) => width !== '0').length);
    // The same on the other scale.
    await figure.locator('button[data-log]').click();
    assert.equal(await whiskers(figure), widths.filter((width) => width !== '0').length);
    assert.deepEqual(complaints, []);
  });
}

it('says a mean and its interval beside each bar, and what does not depend on the seed', async () => {
  const { page, complaints } = await open(file);
  assert.match(await page.locator('#top header').textContent(), /made 3 times.*same for every seed are \d+ of \d+/);
  const labels = await (await chartOf(page, 'test/a1')).locator('svg text').allTextContents();
  assert.ok(labels.some((label) => / ± 0 ms$/.test(label)), labels.join('; '));
  assert.ok(labels.some((label) => / ± 0?\.?\d*[1-9] ?\d* ms$/.test(label)), labels.join('; '));
  assert.deepEqual(complaints, []);
});
