import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { breaks } from './break-internals.js';

const decision = readFileSync('decisions/211-one-table-of-what-node-does-not-promise.md', 'utf8');
/** The first cell of each row in the table. */
const names = Array.from(decision.matchAll(/^\| (.+?) \| /gm), ([, name = '']) => name).slice(1);
const program = join(import.meta.dirname, 'serve-without.js');

function serveWithout(
  row: string,
  way: number,
): Promise<{ failed: boolean; output: string; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, row, String(way)], { timeout: 120_000 }, (error, output, errors) =>
      resolve({ failed: error !== null, output, errors }),
    );
  });
}

describe('undocumented internals of Node that are used', () => {
  it('are each removed in a test, for every row of the table', () => {
    assert.deepEqual(Object.keys(breaks).sort(), [...names].sort());
  });

  for (const name of names) {
    for (const way of (breaks[name] ?? []).keys()) {
      it(`are not needed to serve requests: ${name} (${way + 1})`, async () => {
        const { output, errors } = await serveWithout(name, way);
        assert.equal(output, 'served', errors);
      });
    }
  }
});
