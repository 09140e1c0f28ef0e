import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProfileQuery } from '../../model/profile-query.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { ProfileReader } from '../site/profiler-site.js';
import { findNeighbours } from './find-neighbours.js';

interface Kept {
  readonly token: string;
  readonly startedAt: number;
  readonly visitor?: string;
  readonly status?: number;
  readonly method?: string;
  readonly path?: string;
  readonly location?: string;
}

/** A reader of these records, newest first, that knows the conditions which neighbours are requested by. */
function readerOf(kept: readonly Kept[]): ProfileReader {
  const rows = kept
    .map(({ token, startedAt, visitor = null, status = 200, method = 'GET', path = `/${token}` }) => ({
      token,
      startedAt,
      visitor,
      status,
      method,
      path,
      url: `http://a.test${path}`,
      bucket: 'app',
    }))
    .toSorted((a, b) => b.startedAt - a.startedAt) as unknown as readonly ProfileSummary[]; // as far as is read
  const list = ({ where = [], limit = 50, sort }: ProfileQuery): Promise<object> => {
    const ordered = sort?.isAscending === true ? rows.toReversed() : rows;
    const found = ordered.filter((row) =>
      where.every(({ columns: [column], test }) => {
        const value: unknown = Reflect.get(row, column ?? '');
        if (test.kind === 'is') return test.texts.includes(String(value));
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
  const find = (token: string): Promise<object> => {
    const location = kept.find((one) => one.token === token)?.location;
    const headers = location === undefined ? [] : [['Location', location]];
    return Promise.resolve({ kind: 'found', record: { response: { headers } } });
  };
  return { list, find } as unknown as ProfileReader; // what neighbours are found by
}

const recordOf = ({ token, startedAt }: Kept): ProfileRecord =>
  ({ token, startedAt, bucket: 'app' }) as unknown as ProfileRecord; // what neighbours are found by

describe('neighbours of a record', () => {
  it('are the ones just before and after it, however far apart within a day', async () => {
    const hour = 3_600_000;
    const gaps = fc.array(fc.integer({ min: 1, max: 20 * hour }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(gaps, fc.nat(8), async (between, at) => {
        let startedAt = 1_000_000;
        const kept = [0, ...between].map((gap, place) => ({
          token: `t${place}`,
          startedAt: (startedAt += gap),
        }));
        const own = kept[at % kept.length];
        if (own === undefined) return;
        const { older, newer, thread } = await findNeighbours(readerOf(kept), recordOf(own));
        const place = kept.indexOf(own);
        assert.equal(older?.token, kept[place - 1]?.token);
        assert.equal(newer?.token, kept[place + 1]?.token);
        assert.deepEqual(thread, []);
      }),
    );
  });

  it('are none for the only one, and none that came more than a day later', async () => {
    const own = { token: 'a', startedAt: 0 };
    const alone = await findNeighbours(readerOf([own]), recordOf(own));
    assert.deepEqual([alone.older, alone.newer, alone.thread], [undefined, undefined, []]);
    const late = { token: 'b', startedAt: 86_400_001 };
    assert.equal((await findNeighbours(readerOf([own, late]), recordOf(own))).newer, undefined);
  });

  it('are the very next ones also where more came within a moment than a page holds', async () => {
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

describe('requests of one visitor', () => {
  const visit = (at: number, more: Partial<Kept> = {}): Kept => ({
    token: `v${at}`,
    startedAt: at * 1000,
    visitor: 'ada',
    ...more,
  });
  const threadOf = async (kept: readonly Kept[], own: Kept): Promise<readonly string[]> => {
    const { thread } = await findNeighbours(readerOf(kept), recordOf(own));
    return thread.map(({ row, isFollowed }) => `${row.token}${isFollowed ? ' →' : ''}`);
  };

  it('are up to three before and three after, oldest first, and no one else’s', async () => {
    const kept = Array.from({ length: 12 }, (_, at) => visit(at));
    const others = kept.map((one, at) => ({ ...one, token: `o${at}`, visitor: 'bob' }));
    assert.deepEqual(await threadOf([...kept, ...others], visit(5)), [
      'v2',
      'v3',
      'v4',
      'v5',
      'v6',
      'v7',
      'v8',
    ]);
    assert.deepEqual(await threadOf(kept, visit(0)), ['v0', 'v1', 'v2', 'v3']);
    assert.deepEqual(await threadOf(kept, visit(11)), ['v8', 'v9', 'v10', 'v11']);
  });

  it('are none where there is no visitor, only this one, or only some of another hour', async () => {
    assert.deepEqual(
      await threadOf([{ token: 'a', startedAt: 0 }, visit(1)], { token: 'a', startedAt: 0 }),
      [],
    );
    assert.deepEqual(await threadOf([visit(1)], visit(1)), []);
    assert.deepEqual(await threadOf([visit(1), visit(3700)], visit(1)), []);
  });

  it('are joined where a redirect was followed by a GET of its target within ten seconds', async () => {
    const redirect = { status: 303, method: 'POST', location: '/v2' };
    assert.deepEqual(await threadOf([visit(1, redirect), visit(2)], visit(2)), ['v1 →', 'v2']);
    for (const [from, to] of [
      [visit(1, { ...redirect, location: '/elsewhere' }), visit(2)],
      [visit(1, { ...redirect, location: 'http://b.test/v2' }), visit(2)],
      [visit(1, { ...redirect, location: 'http://[' }), visit(2)],
      [visit(1, { ...redirect, status: 200 }), visit(2)],
      [visit(1, redirect), visit(2, { method: 'POST' })],
      [visit(1, { ...redirect, location: '/v12' }), visit(12)],
    ] as const)
      assert.deepEqual(await threadOf([from, to], to), [from.token, to.token], JSON.stringify([from, to]));
  });
});
