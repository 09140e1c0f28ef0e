import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findQueryLocation } from './find-location.js';

const at = (line: number) => ({ name: null, file: '/app/list.js', line, column: 3 });
const query = (durationMs: number, line: number) => ({ durationMs, callSite: [at(line)] });
const group = (kind: string, count: number, line: number) => ({ kind, count, callSite: at(line) });
const lineOf = (section: unknown): number | undefined => findQueryLocation(section)?.line;

describe('the query location in the list', () => {
  it('is that of the longest loop, even if a duplicate or a slow query is worse', () => {
    const groups = [group('duplicate', 50, 1), group('n+1', 3, 2), group('n+1', 12, 3)];
    assert.equal(lineOf({ groups, queries: [query(900, 4)] }), 3);
  });

  it('is that of the slowest query from 100 ms on if there is no loop', () => {
    const queries = [query(100, 1), query(250, 2), query(99, 3)];
    assert.equal(lineOf({ groups: [group('duplicate', 2, 9)], queries }), 2);
    assert.equal(lineOf({ groups: [], queries: [query(99.9, 3)] }), undefined);
  });

  it('is unknown without a call site, and for sections with another shape', () => {
    assert.equal(lineOf({ groups: [{ kind: 'n+1', count: 4, callSite: null }], queries: [] }), undefined);
    assert.equal(lineOf({ groups: [], queries: [{ durationMs: 300, callSite: [] }] }), undefined);
    for (const section of [
      undefined,
      null,
      3,
      [],
      { groups: 'x' },
      { queries: {} },
      { queries: [{ callSite: [{}] }] },
    ])
      assert.equal(lineOf(section), undefined);
  });
});
