import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

describe('the public entries', () => {
  it('export the names in test/snapshots/exports.txt (`node scripts/exports-snapshot.mjs` rewrites it)', () => {
    const printed = execFileSync(process.execPath, ['scripts/exports-snapshot.mjs', '--print'], {
      encoding: 'utf8',
    });
    assert.deepEqual(printed.split('\n'), readFileSync('test/snapshots/exports.txt', 'utf8').split(/\r?\n/));
  });
});
