// The committed bundle of libraries is what its sources give, and has the licences of all that is in it.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { BUNDLE, bundle } from '../bundle.mjs';

test('the committed bundle is what its sources give', async () => {
  const [kept, made] = await Promise.all([readFile(BUNDLE, 'utf8'), bundle()]);
  // Not assert.equal, which would print both.
  assert.ok(kept === made, 'crates/report/web/dist/libraries.js is another: `npm run build` there, and commit it');
});

test('the bundle begins with the licences of its libraries', async () => {
  const text = await readFile(BUNDLE, 'utf8');
  const licences = text.slice(0, text.indexOf('*/'));
  const { dependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  // Beside those that the report asks for, those that these bring.
  for (const name of [...Object.keys(dependencies), 'zrender', 'tslib']) {
    assert.match(licences, new RegExp(`^---- ${name} [0-9.]+: LICENSE`, 'm'));
  }
  assert.match(licences, /^---- echarts [0-9.]+: NOTICE/m);
  assert.match(licences, /Apache License\s+Version 2\.0/);
});
