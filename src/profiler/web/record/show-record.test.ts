import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProfileQuery } from '../../model/profile-query.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { ProfileReader } from '../site/profiler-site.js';
import { findNeighbours } from './show-record.js';

interface Kept {
  readonly token: string;
  readonly startedAt: number;
}

/** A reader of these records, newest first, that supports the conditions used for neighbours. */
function readerOf(kept: readonly Kept[]): ProfileReader {
  const rows = kept
    .map(({ token, startedAt }) => ({ token, startedAt, origin: 'app' }))
    .toSorted((a, b) => b.startedAt - a.startedAt) as unknown as readonly ProfileSummary[]; // only these fields are read
  const list = ({ where = [], limit = 50, sort }: ProfileQuery): Promise<object> => {
    const ordered = sort?.isAscending === true ? rows.toReversed() : rows;
    const found = ordered.filter((row) =>
      where.every(({ columns: [column], test }) => {
        const value: unknown = Reflect.get(row, column ?? '');
        const [[least, most] = [null, null]] = test.kind === 'numbers' ? test.ranges : [];
        return Number(value) >= (least ?? -Infinity) && Number(value) <= (most ?? Infinity);
      }),
    );
    return Promise.resolve({
      rows: found.slice(0, limit),
      next: found.length > limit ? 'more' : null,
      complete: true,
    });
  };
  return { list } as unknown as ProfileReader; // the conditions used for neighbours
}

const recordOf = ({ token, startedAt }: Kept): ProfileRecord =>
  ({ token, startedAt, origin: 'app' }) as unknown as ProfileRecord; // the conditions used for neighbours

describe("a record's neighbours", () => {
  it('are the records just before and after it, however far apart', async () => {
    const hour = 3_600_000;
    const gaps = fc.array(fc.integer({ min: 1, max: 20 * hour }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(gaps, fc.nat(8), async (between, at) => {
        let startedAt = 1_000_000;
        const kept = [0, ...between].map((gap, index) => ({
          token: `t${index}`,
          startedAt: (startedAt += gap),
        }));
        const own = kept[at % kept.length];
        if (own === undefined) return;
        const { older, newer } = await findNeighbours(readerOf(kept), recordOf(own));
        const index = kept.indexOf(own);
        assert.equal(older?.token, kept[index - 1]?.token);
        assert.equal(newer?.token, kept[index + 1]?.token);
      }),
    );
  });

  it('are absent for the only record', async () => {
    const own = { token: 'a', startedAt: 0 };
    const alone = await findNeighbours(readerOf([own]), recordOf(own));
    assert.deepEqual([alone.older, alone.newer], [undefined, undefined]);
  });

  it('are adjacent even if more records came within a moment than a page holds', async () => {
    const many = (from: number): readonly Kept[] =>
      Array.from({ length: 150 }, (_, at) => ({ token: `t${at}`, startedAt: from + at }));
    const own = { token: 'own', startedAt: 0 };
    for (const from of [1, 2_000, 90_000])
      assert.equal(
        (await findNeighbours(readerOf([own, ...many(from)]), recordOf(own))).newer?.token,
        't0',
        String(from),
      );
    const among = { token: 't20', startedAt: 21 };
    const { older, newer } = await findNeighbours(readerOf(many(1)), recordOf(among));
    assert.deepEqual([older?.token, newer?.token], ['t19', 't21']);
  });
});
