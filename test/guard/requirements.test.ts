import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { requirements } from '../requirements.js';

function* testSources(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* testSources(path);
    else if (/\.test\.tsx?$/.test(name)) yield path;
  }
}

describe('requirements', () => {
  it('every row of the contract is named by a test in test/', () => {
    const named = new Set(idsIn('test'));
    assert.deepEqual(
      requirements.filter(({ id }) => !named.has(id)).map(({ id }) => id),
      [],
    );
  });

  it('no title names a row that the contract does not have', () => {
    const known = new Set(requirements.map(({ id }) => id));
    assert.equal(known.size, requirements.length, 'requirement ids are unique');
    assert.deepEqual(
      [...idsIn('src'), ...idsIn('test')].filter((id) => !known.has(id)),
      [],
    );
  });
});

/** The rows named by titles in a folder. Skipped, todo and commented-out tests do not count. */
function idsIn(folder: string): string[] {
  const title = /^ *(?:it|test|describe)\(\s*(['"`])([A-Z]\d+(?:, ?[A-Z]\d+)*):/gm;
  return [...testSources(folder)]
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(title)])
    .flatMap(([, , ids = '']) => ids.split(/, ?/));
}
