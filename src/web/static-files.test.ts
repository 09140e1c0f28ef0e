import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isHashedName } from './static-files.js';

describe('isHashedName', () => {
  it('knows the names that bundlers write', () => {
    for (const name of [
      'app.3f2a9c1b.js',
      'index-DiwrgTda.css',
      '/a/chunk-BX3k_l9d.mjs',
      'logo.0123456789abcdef.svg',
    ])
      assert.equal(isHashedName(name), true, name);
  });

  it('takes no word, date or version for a hash', () => {
    for (const name of [
      'index.html',
      'site-settings.css',
      'photo-20240101.jpg',
      'jquery-3.7.1.min.js',
      'a.b',
      '',
      '3f2a9c1b.js',
      'CHANGELOG-Document.md',
    ])
      assert.equal(isHashedName(name), false, name);
  });

  it('is linear in the length of a path', () => {
    const start = process.cpuUsage();
    isHashedName(`${'-a'.repeat(500_000)}.js`);
    assert.ok(process.cpuUsage(start).user < 1_000_000);
  });
});
