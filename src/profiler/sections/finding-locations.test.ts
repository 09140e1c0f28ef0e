import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { SourceLoader } from '#core/errors';
import type { StoredFinding } from '../model/profile-record.js';
import { withOriginalLines } from './finding-locations.js';

/** In the compiled file, line 1, column 1 was line 30 in its source, and column 50 was line 70. */
const sources: SourceLoader = {
  load: () => '',
  findOriginal: ({ path, line, column }) =>
    path === resolve('dist/list.js') && line === 1
      ? { path: resolve('src/list.ts'), line: column < 50 ? 30 : 70, column: 1 }
      : undefined,
};
const finding: StoredFinding = {
  section: 'db',
  kind: 'n+1',
  level: 'warn',
  text: '3 queries of the same shape from dist/list.js:1, 2.00 ms',
  location: 'dist/list.js:1',
};

function linesOf(...sites: { readonly file: string; readonly line: number; readonly column: number }[]): {
  readonly text: string | undefined;
  readonly location: string | undefined;
} {
  const sections = { db: { queries: sites.map((site) => ({ callSite: [site] })) } };
  const [found] = withOriginalLines([finding], { sections, events: [] }, sources);
  return { text: found?.text, location: found?.location };
}

describe('the source line named by a finding', () => {
  const { text, location } = finding;

  it('is in the original source', () => {
    const compiled = { file: resolve('dist/list.js'), line: 1, column: 1 };
    const original = {
      text: '3 queries of the same shape from src/list.ts:30, 2.00 ms',
      location: 'src/list.ts:30',
    };
    assert.deepEqual(linesOf(compiled), original);
    assert.deepEqual(linesOf({ ...compiled, file: pathToFileURL(compiled.file).href }), original);
    assert.deepEqual(linesOf(compiled, { ...compiled, column: 8 }), original);
  });

  it('is in the compiled code if it covers several source lines, or if no source map is known', () => {
    const compiled = { file: resolve('dist/list.js'), line: 1 };
    assert.deepEqual(linesOf({ ...compiled, column: 1 }, { ...compiled, column: 60 }), { text, location });
    assert.deepEqual(linesOf({ file: resolve('dist/other.js'), line: 1, column: 1 }), { text, location });
    assert.deepEqual(linesOf(), { text, location });
  });
});
