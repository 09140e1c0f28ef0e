import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

describe('docs/reference/errors.md', () => {
  it('has every error code in the sources with its messages: run scripts/error-page.mjs after a change', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['scripts/error-page.mjs', '--print'], {
      encoding: 'utf8',
    });
    assert.equal(stderr, '');
    assert.deepEqual(stdout.split('\n'), readFileSync('docs/reference/errors.md', 'utf8').split(/\r?\n/));
  });
});
