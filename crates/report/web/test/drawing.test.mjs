// What a reader sees of a chart is whole: labels within the picture, names apart, units spoken.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import { faults, filesOf, it, open, pagesOf, turnTo, walk } from '../reader.mjs';

const reports = filesOf('REPORT_HTML');

for (const file of reports) {
  describe(`charts of ${file}`, () => {
    for (const width of [1400, 390]) {
      it(`have their labels within the picture at ${width} px`, async () => {
        const { page } = await open(file, { viewport: { width, height: 900 } });
        for (const id of (await pagesOf(page)).filter((name) => !name.startsWith('drive/'))) {
          await turnTo(page, id);
          await walk(page);
          assert.deepEqual(await faults(page), [], id);
        }
      });
    }

    it('say their values with units', async () => {
      const { page } = await open(file);
      const plot = page.locator('[id="chart/verdicts"]');
      await plot.scrollIntoViewIfNeeded();
      await plot.locator('svg').waitFor();
      assert.match(await plot.getAttribute('aria-label'), /[0-9.,]+ ms/);
      // A name by another element would be read instead of the description.
      assert.equal(await plot.getAttribute('aria-labelledby'), null);
    });

    it('leads a link to the heading, not to the whole section', async () => {
      const { page } = await open(file);
      const family = await page.locator('section.family').first().getAttribute('id');
      await turnTo(page, family);
      await page.waitForFunction((id) => document.activeElement.id === `${id}-title`, family);
      assert.match(await page.evaluate(() => document.activeElement.tagName), /^H[23]$/);
    });

    it('says of a table that is wider than a phone that it scrolls, and keeps the drive in sight', async () => {
      const { page } = await open(file, { viewport: { width: 390, height: 844 }, isMobile: true });
      // Of many drives, the table is folded away.
      await page.evaluate(() => document.querySelector('#verdicts details')?.setAttribute('open', ''));
      const box = page.locator('#verdicts .scroll').first();
      await box.scrollIntoViewIfNeeded();
      await page.waitForFunction(() => document.querySelector('#verdicts .scroll').classList.contains('wider'));
      const head = box.locator('tbody th').first();
      await box.evaluate((element) => { element.scrollLeft = 200; });
      const [left, edge] = [(await head.boundingBox()).x, (await box.boundingBox()).x];
      assert.ok(Math.abs(left - edge) < 4, `${left} beside ${edge}`);
    });
  });
}

describe('a test of consistency', () => {
  const [file] = filesOf('CONSISTENCY_HTML');

  it('shows what is left from 1,400 s on, logarithmic and linear', async () => {
    const { page, complaints } = await open(file);
    await turnTo(page, await page.locator('section.family').first().getAttribute('id'));
    const figure = page.locator('figure.chart[data-kind="scatter"]');
    await walk(page);
    await figure.locator('canvas').first().waitFor();
    const parts = figure.locator('select[data-choice="view"]');
    const log = figure.getByRole('button', { name: 'Log scale' });
    await figure.getByRole('button', { name: 'Data' }).click();
    const seconds = () => figure.locator('.chart-data tbody tr td:nth-child(2)').allTextContents();
    // Those that equal their neighbours are in the table, too.
    assert.deepEqual((await seconds()).slice(0, 4), ['0', '1', '2', '3']);
    assert.match(await figure.locator('.chart-data caption').textContent(), /every interval/);
    await parts.selectOption({ label: 'From 1,400 s' });
    assert.equal(await log.getAttribute('aria-pressed'), 'true');
    assert.equal((await seconds())[0], '1,400');
    await parts.selectOption({ label: 'From 1,400 s, linear' });
    assert.equal(await log.getAttribute('aria-pressed'), 'false');
    assert.match(await figure.locator('.plot').getAttribute('aria-label'), /from 1,400 s on/);
    assert.match(await figure.locator('.key').textContent(), /All panels have the same axes/);
    assert.deepEqual(complaints, []);
  });
});
