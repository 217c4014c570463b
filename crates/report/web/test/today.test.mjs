// Opens a report of drives of today in headless Chromium: fills with their plateaus, percentiles, what took longer, and
// what theory says beside what was simulated.
//
//   TODAY_HTML=path/to/report-today.html npm test
//
// It is one that a test of the crate makes up.

import assert from 'node:assert/strict';

import { faults, filesOf, it, open, turnTo, walk } from '../reader.mjs';

const [file] = filesOf('TODAY_HTML');

/** The charts, and what their tables say. */
const CHARTS = [
  { family: 'test/a1', kind: 'main', columns: ['Run', 'From (GB)', 'To (GB)', 'Speed (MB/s)'], key: /plateaus.*rests/ },
  { family: 'test/a1', kind: 'warmth', columns: ['Run', 'Time (s)', 'Temperature (°C)', 'Steps of throttling'], key: /Thick: the drive slows down.*Dashed/ },
  { family: 'test/a2', kind: 'main', columns: ['Drive', 'Condition', 'Step', 'Simulated (Write amplification)', 'Write amplification by the closed form', 'Published'], key: /closed form/ },
  { family: 'test/a4', kind: 'main', columns: ['Drive', 'Condition', 'Step', 'Percentile', 'Simulated (µs)', 'Published'], key: /Solid: p50\. Dashed: p99\. Dotted: p99\.9\. Dash-dotted: p99\.999\./ },
  { family: 'test/a4', kind: 'longer', columns: ['Run', 'Latency above (ms)', 'Share of I/Os (%)'], key: /99th percentile/ },
];

for (const { family, kind, columns, key } of CHARTS) {
  it(`draws ${kind} of ${family} and has it as a table`, async () => {
    const { page, complaints } = await open(file);
    await turnTo(page, family);
    const figure = page.locator(`figure.chart[data-family="${family}"][data-kind="${kind}"]`);
    await figure.scrollIntoViewIfNeeded();
    await figure.locator('svg').first().waitFor();
    assert.match(await figure.locator('.key').textContent(), key);
    await figure.locator('button[data-table]').click();
    const head = await figure.locator('.chart-data thead th').allTextContents();
    assert.deepEqual(head, columns);
    assert.ok((await figure.locator('.chart-data tbody tr').count()) > 4);
    assert.deepEqual(complaints, []);
  });
}

it('says in the table of heat when a drive was slowed down, and draws it on either scale', async () => {
  const { page, complaints } = await open(file);
  await turnTo(page, 'test/a1');
  const figure = page.locator('figure.chart[data-family="test/a1"][data-kind="warmth"]');
  await figure.scrollIntoViewIfNeeded();
  await figure.locator('svg').first().waitFor();
  await figure.locator('button[data-log]').click();
  await figure.locator('button[data-table]').click();
  const cells = await figure.locator('.chart-data tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const [first] = cells[0];
  const steps = cells.filter(([run]) => run === first).map((row) => Number(row[3]));
  assert.deepEqual(steps, Array.from({ length: 30 }, (_, second) => Number(second >= 20)));
  assert.deepEqual(complaints, []);
});

it('has percentiles of reads to choose, and their labels whole on a phone', async () => {
  for (const width of [1400, 390]) {
    const { page } = await open(file, { viewport: { width, height: 900 } });
    await turnTo(page, 'test/a4');
    await walk(page);
    assert.deepEqual(await faults(page), [], `${width} px`);
    const figure = page.locator('figure.chart[data-family="test/a4"][data-kind="main"]');
    await figure.locator('select[data-choice="kind"]').selectOption({ label: 'Reads' });
    assert.match(await figure.locator('figcaption').textContent(), /reads/);
  }
});
