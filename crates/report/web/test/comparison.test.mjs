// Opens a comparison of result sets in headless Chromium: a page of tables, without a script.
//
//   COMPARISON_HTML=path/to/comparison.html npm test

import assert from 'node:assert/strict';

import { fileUrl, filesOf, it, open } from '../reader.mjs';

const [file] = filesOf('COMPARISON_HTML');

it('leads from the overview to every run, complains of nothing and asks for nothing', async () => {
  const { page, complaints, requests } = await open(file);
  const links = page.locator('section[aria-labelledby="overview"] tbody a');
  assert.ok((await links.count()) > 0);
  assert.equal(await links.count(), await page.locator('section.run').count());
  await links.last().click();
  const heading = page.locator('section.run h2').last();
  assert.equal(await heading.evaluate((element) => `#${element.id}`), new URL(page.url()).hash);
  assert.ok(await heading.isVisible());
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith('data:')), [fileUrl(file)]);
});

it('keeps its sections apart', async () => {
  const { page } = await open(file);
  const gaps = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll('main > section')].map((section) => section.getBoundingClientRect());
    return boxes.slice(1).map((box, index) => box.top - boxes[index].bottom);
  });
  assert.ok(gaps.length > 1 && gaps.every((gap) => gap >= 24), gaps.join());
});

for (const [name, options] of [['a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }], ['a dark screen', { colorScheme: 'dark' }]]) {
  it(`fits ${name}`, async () => {
    const { page, complaints } = await open(file, options);
    const width = page.viewportSize().width;
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    const [ink, paper] = await page.evaluate(() => ['color', 'backgroundColor'].map((name) => getComputedStyle(document.body)[name]));
    assert.notEqual(ink, paper);
    assert.deepEqual(complaints, []);
  });
}
