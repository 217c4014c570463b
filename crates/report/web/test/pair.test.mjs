// Opens a real drive beside its model in headless Chromium: both are in every chart, on the same axes.
//
//   PAIR_HTML=path/to/pair.html npm test

import assert from 'node:assert/strict';

import { faults, fileUrl, filesOf, frames, it, open, pagesOf, turnTo, walk } from '../reader.mjs';

const [file] = filesOf('PAIR_HTML');

const PHONE = { viewport: { width: 400, height: 844 }, isMobile: true, hasTouch: true };

it('draws both on one pair of axes, and asks for nothing', async () => {
  const { page, complaints, requests } = await open(file);
  await turnTo(page, 'test/a1');
  for (const kind of ['percentiles', 'latency']) {
    const plot = page.locator(`[id="test/a1/${kind}"]`);
    await plot.scrollIntoViewIfNeeded();
    await plot.locator('svg').waitFor();
    const texts = await plot.locator('svg text').allTextContents();
    for (const name of ['Measured: Real One', 'Simulated: ']) assert.ok(texts.some((text) => text.includes(name)), `${kind}: ${texts}`);
    assert.equal(await plot.locator('svg').count(), 1);
  }
  const key = await page.locator('figure[data-family="test/a1"][data-kind="latency"] .key').textContent();
  assert.doesNotMatch(key, /panels/);
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith('data:')), [fileUrl(file)]);
});

for (const [name, options] of [['a phone', PHONE], ['a dark screen', { colorScheme: 'dark' }]]) {
  it(`fits ${name}`, async () => {
    const { page, complaints } = await open(file, options);
    for (const id of await pagesOf(page)) {
      await turnTo(page, id);
      await walk(page);
      await frames(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), page.viewportSize().width);
      assert.deepEqual(await faults(page), [], id);
    }
    assert.deepEqual(complaints, []);
  });
}
