import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

describe('the public entries', () => {
  it('export what test/snapshots/exports.txt lists (`node scripts/exports-snapshot.mjs` writes it anew)', () => {
    const printed = execFileSync(process.execPath, ['scripts/exports-snapshot.mjs', '--print'], {
      encoding: 'utf8',
    });
    assert.deepEqual(printed.split('\n'), readFileSync('test/snapshots/exports.txt', 'utf8').split(/\r?\n/));
  });
});
