import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { foldAssets } from './request-table.js';
import { parseListFilters } from './list-filters.js';

const row = (path: string, more: Partial<ProfileSummary> = {}): ProfileSummary =>
  ({
    method: 'GET',
    status: 200,
    path,
    durationMs: 1,
    exception: null,
    state: 'finished',
    logs: {},
    collected: {},
    breakdown: {},
    ...more,
  }) as unknown as ProfileSummary; // only these fields are read

const collected = [{ column: 'db.repeated', kind: 'count', finding: 'N+1' }] as const;

const linesOf = (rows: readonly ProfileSummary[], query = ''): readonly (string | number)[] => {
  const parsed = parseListFilters(new URLSearchParams(query), { now: 0, collected });
  return foldAssets(rows, parsed).map((line) => (typeof line === 'number' ? line : line.path));
};

describe('asset requests in the list', () => {
  const assets = ['/app.css', '/@vite/client', '/_next/static/chunks/1', '/logo.PNG'].map((path) =>
    row(path),
  );

  it('are folded into one line if three or more follow each other', () => {
    assert.deepEqual(linesOf([row('/a'), ...assets, row('/b'), ...assets.slice(0, 2)]), [
      '/a',
      4,
      '/b',
      '/app.css',
      '/@vite/client',
    ]);
  });

  it('stay single if they failed, changed something, or are notable', () => {
    const kept = [
      row('/gone.js', { status: 404 }),
      row('/upload.png', { method: 'POST' }),
      row('/slow.css', { durationMs: 5000 }),
      row('/cut.mp4', { state: 'aborted' }),
      row('/made.svg', { collected: { 'db.repeated': 12 } }),
    ];
    assert.deepEqual(
      linesOf(kept),
      kept.map(({ path }) => path),
    );
  });

  it('stay single on request, and in a filtered or sorted list', () => {
    for (const query of ['assets=1', 'q=path:*.css', 'sort=duration', 'status=200'])
      assert.equal(linesOf(assets, query).length, 4, query);
    assert.deepEqual(linesOf(assets, 'limit=100&own=1'), [4]);
  });
});
