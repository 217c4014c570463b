// Opens a report in headless Chromium as a reader would, from its file, and tries what it offers.
//
//   REPORT_HTML=path/to/report.html npm test
//
// REPORT_HTML may name several files, separated by colons.

import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe } from 'node:test';

import { drawnShapes, fileUrl, filesOf, frames, it, open, pagesOf, turnTo, walk } from '../reader.mjs';

const BYTES_MAX = 6_000_000;
const OPEN_SECONDS_MAX = 2;
const reports = filesOf('REPORT_HTML');

/** A chart whose data several drives have, in view and drawn. */
async function someChart(page) {
  const figure = page.locator('figure.chart').first();
  await figure.scrollIntoViewIfNeeded();
  await figure.locator('svg').first().waitFor();
  return figure;
}

for (const file of reports) {
  describe(`report ${file}`, () => {
    it('is one file of moderate size that opens fast', async (t) => {
      assert.ok((await stat(file)).size <= BYTES_MAX);
      const { page } = await open(file, {}, async (fresh) => {
        const session = await fresh.context().newCDPSession(fresh);
        await session.send('Performance.enable', { timeDomain: 'threadTicks' });
        fresh.busySeconds = async () => {
          const { metrics } = await session.send('Performance.getMetrics');
          return metrics.find(({ name }) => name === 'TaskDuration').value;
        };
      });
      await someChart(page);
      const ms = await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd);
      const busy = await page.busySeconds();
      t.diagnostic(`loaded after ${ms.toFixed(0)} ms, first chart drawn with ${busy.toFixed(2)} s of work`);
      // The work of the page, not the time by a clock, which other programs take from it.
      assert.ok(busy < OPEN_SECONDS_MAX, `${busy} s`);
    });

    it('draws every chart, complains of nothing and asks for nothing', async () => {
      const { page, complaints, requests } = await open(file);
      const seen = new Set();
      for (const id of await pagesOf(page)) {
        await turnTo(page, id);
        await walk(page);
        for (const plot of await page.locator('.page:not([hidden]) .plot').all()) {
          const chart = await plot.getAttribute('id');
          seen.add(chart);
          assert.ok((await drawnShapes(plot)) > 5, `${chart} is drawn`);
          assert.match(await plot.getAttribute('aria-label'), /Data button/, `${chart} is described`);
        }
      }
      assert.equal(seen.size, await page.locator('.plot').count(), 'every chart was on a page');
      assert.deepEqual(complaints, []);
      assert.deepEqual(requests.filter((url) => !url.startsWith('data:')), [fileUrl(file)]);
    });

    it('draws only what is near the view', async () => {
      const { page } = await open(file);
      const plots = page.locator('.family .plot');
      assert.ok((await plots.count()) > 0);
      assert.equal(await plots.locator('svg, canvas').count(), 0);
    });

    it('shows one page at a time, and the page a link leads to', async () => {
      const { page, complaints } = await open(file);
      const shown = () => page.evaluate(() => [...document.querySelectorAll('.page:not([hidden])')].map((element) => element.id));
      assert.deepEqual(await shown(), ['top']);
      const link = page.locator('#drive-list a').first();
      const wanted = (await link.getAttribute('href')).slice(1);
      await link.click();
      await page.waitForFunction((id) => !document.getElementById(id).hidden, wanted);
      assert.deepEqual(await shown(), [wanted]);
      await page.goBack();
      await page.waitForFunction(() => !document.getElementById('top').hidden);
      assert.deepEqual(await shown(), ['top']);
      // A figure within what is folded away is unfolded.
      const figure = await page.locator('main tr[id]').first().getAttribute('id');
      await turnTo(page, figure);
      assert.ok(await page.locator(`tr[id="${figure}"]`).isVisible());
      assert.deepEqual(complaints, []);
    });

    it('arrives at the place a link leads to, also when charts before it are drawn on the way', async () => {
      const { page, complaints } = await open(file, { reducedMotion: 'no-preference' });
      const families = await page.locator('.page').nth(1).locator('.family').evaluateAll((all) => all.map(({ id }) => id));
      for (const id of families) {
        await page.goto('about:blank');
        await page.goto(`${fileUrl(file)}#${id}`);
        for (let n = 0; n < 20; n += 1) await frames(page);
        const [top, below] = await page.evaluate((wanted) => [
          document.getElementById(wanted).getBoundingClientRect().top,
          document.documentElement.scrollHeight - innerHeight - scrollY,
        ], id);
        assert.ok(Math.abs(top) < 100 || (top > 0 && below < 2), `${id} is ${top} px away`);
      }
      assert.deepEqual(complaints, []);
    });

    it('marks in the contents what is on the screen', async () => {
      const { page, complaints } = await open(file);
      const marked = () => page.locator('.menu a[aria-current]').evaluateAll((links) => links.map((link) => link.hash.slice(1)));
      assert.deepEqual(await marked(), ['top']);
      const [first, second] = await page.locator('.page').nth(1).locator('.family').evaluateAll((all) => all.map(({ id }) => id));
      await turnTo(page, second ?? first);
      await page.waitForFunction((id) => document.querySelector('.menu a[aria-current]')?.hash === `#${id}`, second ?? first);
      // Nothing of the page before it stays marked.
      await turnTo(page, 'top');
      await page.waitForFunction(() => document.querySelector('.menu a[aria-current]')?.hash === '#top');
      assert.deepEqual(await marked(), ['top']);
      const drive = (await pagesOf(page)).at(-1);
      await turnTo(page, drive);
      await page.waitForFunction((id) => document.querySelector('.menu a[aria-current]')?.hash === `#${id}`, drive);
      assert.deepEqual(complaints, []);
    });

    it('prints all it shows, nothing cut off', async () => {
      const { page, complaints } = await open(file, { viewport: { width: 720, height: 1000 } });
      const pages = await pagesOf(page);
      for (const id of ['top', pages.find((name) => name.startsWith('tests/')), pages.at(-1)]) {
        await turnTo(page, id);
        await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
        await page.emulateMedia({ media: 'print' });
        const lost = await page.evaluate(() => {
          const shown = document.querySelector('.page:not([hidden])');
          const cut = [...shown.querySelectorAll('.scroll, .plot')].filter((box) => box.scrollWidth > box.clientWidth + 1);
          const closed = shown.querySelectorAll('details:not([open], .runs)');
          const blank = [...shown.querySelectorAll('.plot')].filter((plot) => !plot.querySelector('svg, canvas, .empty'));
          return [...cut, ...closed, ...blank].map((element) => element.id || element.getAttribute('aria-labelledby') || element.className);
        });
        assert.deepEqual(lost, [], id);
        await page.emulateMedia({ media: 'screen' });
        await page.evaluate(() => dispatchEvent(new Event('afterprint')));
      }
      assert.deepEqual(complaints, []);
    });

    it('draws shares up to 100 %, and dots where the axis is logarithmic', async () => {
      const { page } = await open(file);
      await turnTo(page, await page.locator('section.family:has(figure[data-kind="latency"])').first().getAttribute('id'));
      await walk(page);
      const plot = page.locator('.page:not([hidden]) figure[data-kind="latency"] .plot').first();
      await plot.scrollIntoViewIfNeeded();
      await plot.locator('svg').waitFor();
      const ticks = (await plot.locator('svg text').allTextContents()).filter((text) => text.endsWith(' %'));
      assert.ok(ticks.includes('100 %'), ticks.join());
      assert.ok(ticks.every((text) => Number(text.slice(0, -2)) <= 100), ticks.join());
      const bars = page.locator('.page:not([hidden]) figure[data-kind="main"]:has(.key:text("Coloured: simulated"))').first();
      const log = bars.getByRole('button', { name: 'Log scale' });
      const key = bars.locator('.key');
      for (let turn = 0; turn < 2; turn += 1) {
        const dots = (await log.getAttribute('aria-pressed')) === 'true';
        assert.match(await key.textContent(), dots ? /hollow: published/ : /grey: published/);
        await log.click();
      }
    });

    it('shows the drives one chooses, in one chart and in all', async () => {
      const { page, complaints } = await open(file);
      const figure = await someChart(page);
      const data = figure.getByRole('button', { name: 'Data' });
      await data.click();
      const rows = () => figure.locator('.chart-data tbody tr').count();
      const drives = figure.locator('[data-drives]');
      await drives.click();
      await figure.getByRole('button', { name: 'None' }).click();
      assert.equal(await figure.locator('svg').count(), 0);
      assert.match(await figure.locator('.empty').textContent(), /No drive is chosen/);
      const box = figure.locator('.chips input').last();
      await box.check();
      assert.equal(await rows(), 1);
      assert.match(await drives.textContent(), /^Drives: 1 of/);
      const name = await figure.locator('.chips label').last().textContent();
      await figure.getByRole('searchbox').fill('no such drive');
      assert.equal(await figure.locator('.chips label:visible').count(), 0);
      await figure.getByRole('button', { name: 'Use in every chart' }).click();
      const other = page.locator('.family figure.chart').first();
      await turnTo(page, await page.locator('.family').first().getAttribute('id'));
      await other.scrollIntoViewIfNeeded();
      await other.locator('svg').first().waitFor();
      assert.match(await other.locator('[data-drives]').textContent(), /^Drives: 1 of/);
      await other.getByRole('button', { name: 'Data' }).click();
      assert.ok((await other.locator('.chart-data tbody').textContent()).includes(name));
      assert.deepEqual(complaints, []);
    });

    it('makes the table of runs when it is unfolded, and filters it', async () => {
      const { page, complaints } = await open(file);
      await turnTo(page, await page.locator('.page.drive').first().getAttribute('id'));
      const runs = page.locator('.page:not([hidden]) details.runs');
      assert.equal(await runs.locator('table').count(), 0);
      await runs.locator('summary').click();
      await runs.locator('table').waitFor();
      const all = await runs.locator('tbody tr').count();
      assert.ok(all > 0);
      await runs.getByRole('searchbox').fill('no such test');
      assert.equal(await runs.locator('tbody tr').count(), 0);
      assert.deepEqual(complaints, []);
    });

    it('switches a chart between logarithmic and linear', async () => {
      const { page, complaints } = await open(file);
      const figure = await someChart(page);
      const button = figure.getByRole('button', { name: 'Log scale' });
      const ticks = () => figure.locator('svg text').allTextContents();
      const pressed = await button.getAttribute('aria-pressed');
      const before = await ticks();
      await button.click();
      assert.notEqual(await button.getAttribute('aria-pressed'), pressed);
      assert.notDeepEqual(await ticks(), before);
      assert.deepEqual(complaints, []);
    });

    it('shows the data of a chart, and saves them as CSV', async () => {
      const { page, complaints } = await open(file);
      const figure = await someChart(page);
      const button = figure.getByRole('button', { name: 'Data' });
      await button.click();
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      const rows = await figure.locator('.chart-data tbody tr').count();
      assert.ok(rows > 0);
      const saving = page.waitForEvent('download');
      await figure.getByRole('button', { name: 'Download CSV' }).click();
      const download = await saving;
      assert.match(download.suggestedFilename(), /\.csv$/);
      const csv = await text(await download.createReadStream());
      assert.equal(csv.trimEnd().split('\r\n').length, rows + 1);
      await button.click();
      assert.equal(await figure.locator('.chart-data').isVisible(), false);
      assert.deepEqual(complaints, []);
    });

    it('draws another measure and another step', async () => {
      const { page, complaints } = await open(file);
      const tried = new Set();
      for (const id of (await pagesOf(page)).filter((name) => name.startsWith('tests/'))) {
        await turnTo(page, id);
        await walk(page);
        for (const name of ['measure', 'step', 'course'].filter((choice) => !tried.has(choice))) {
          const figure = page.locator(`.page:not([hidden]) figure.chart:has(select[data-choice="${name}"])`).first();
          if ((await figure.count()) === 0) continue;
          tried.add(name);
          const [plot, select] = [figure.locator('.plot'), figure.locator(`select[data-choice="${name}"]`)];
          const before = await plot.getAttribute('aria-label');
          await select.selectOption({ index: 1 });
          assert.notEqual(await plot.getAttribute('aria-label'), before, `another ${name} is drawn`);
          assert.ok((await drawnShapes(plot)) > 5);
        }
        if (tried.size === 3) break;
      }
      assert.ok(tried.has('measure') && tried.has('step'), [...tried].join());
      assert.deepEqual(complaints, []);
    });

    it('turns dark and back, charts included', async () => {
      const { page, complaints } = await open(file, { colorScheme: 'light' });
      const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await someChart(page);
      const ink = () => page.locator('figure.chart svg text').first().evaluate((text) => text.getAttribute('fill') ?? text.style.fill);
      const [light, lightInk] = [await paper(), await ink()];
      const toggle = page.getByRole('button', { name: /light and dark/ });
      await toggle.click();
      assert.notEqual(await paper(), light);
      assert.notEqual(await ink(), lightInk);
      await toggle.click();
      assert.equal(await paper(), light);
      assert.deepEqual(complaints, []);
    });

    it('follows a system that prefers dark', async () => {
      const [light, dark] = await Promise.all(['light', 'dark'].map((colorScheme) => open(file, { colorScheme })));
      const paper = ({ page }) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.notEqual(await paper(light), await paper(dark));
    });

    it('fits a phone: only boxes scroll sideways, never the page', async () => {
      const { page, complaints } = await open(file, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      const pages = await pagesOf(page);
      for (const id of ['top', pages.find((name) => name.startsWith('tests/')), pages.at(-1)]) {
        await turnTo(page, id);
        await walk(page);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, id);
      }
      const contents = page.locator('.menu > summary');
      await contents.click();
      await page.locator('.menu a').first().click();
      assert.equal(await page.locator('.menu').getAttribute('open'), null);
      assert.deepEqual(complaints, []);
    });

    it('has one title, a verdict table, and names for all it offers', async () => {
      const { page } = await open(file);
      const figure = await someChart(page);
      await figure.locator('button[data-table]').click();
      await figure.locator('button[data-drives]').click();
      for (const details of await page.locator('#verdicts details').all()) await details.evaluate((element) => { element.open = true; });
      assert.equal(await page.locator('h1').count(), 1);
      const verdicts = page.getByRole('table', { name: /Verdict on every drive/ });
      assert.ok((await verdicts.locator('tbody tr').count()) > 0);
      const unnamed = await page.evaluate(() => {
        const named = (element) =>
          element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.[0]?.textContent.trim();
        return [...document.querySelectorAll('button, a, summary, select, input')].filter((element) => !named(element)).length;
      });
      assert.equal(unnamed, 0);
      const loose = await page.evaluate(() => {
        const labels = [...document.querySelectorAll('[aria-labelledby], [aria-controls], [aria-describedby]')];
        const ids = labels.flatMap((element) =>
          ['aria-labelledby', 'aria-controls', 'aria-describedby'].flatMap((name) => element.getAttribute(name)?.split(' ') ?? []));
        const links = [...document.querySelectorAll('a[href^="#"]')].map((link) => decodeURIComponent(link.hash.slice(1)));
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
    });

    it('can be used with the keyboard alone', async () => {
      const { page } = await open(file);
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
      const drives = page.locator('figure.chart button[data-drives]').first();
      await drives.focus();
      await page.keyboard.press('Enter');
      const box = page.locator('figure.chart .chips input').first();
      const was = await box.isChecked();
      await box.focus();
      await page.keyboard.press('Space');
      assert.equal(await box.isChecked(), !was);
      const link = page.locator('#drive-list a').first();
      await link.focus();
      await page.keyboard.press('Enter');
      const wanted = decodeURIComponent((await link.getAttribute('href')).slice(1));
      // The heading that names the page, not all of it.
      await page.waitForFunction((id) => document.activeElement.id === `${id}-title`, wanted);
    });
  });
}
