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
  it('every row of the contract is named by a test', () => {
    const titles = [...testSources('src'), ...testSources('test')]
      .flatMap((file) => [
        ...readFileSync(file, 'utf8').matchAll(/\b(?:it|test|describe)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs),
      ])
      .map((match) => match[2] ?? '');
    const named = new Set(
      titles.flatMap((title) => /^([A-Z]\d+(?:, ?[A-Z]\d+)*):/.exec(title)?.[1]?.split(/, ?/) ?? []),
    );
    assert.deepEqual(
      requirements.filter(({ id }) => !named.has(id)).map(({ id }) => id),
      [],
    );
    const known = new Set(requirements.map(({ id }) => id));
    assert.deepEqual(
      [...named].filter((id) => !known.has(id)),
      [],
      'ids that are no row of the contract',
    );
  });
});
