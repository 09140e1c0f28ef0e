import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import fc from 'fast-check';
import type { ErrorReport } from '../../src/core/errors.js';
import { durationQuantile } from '../../src/profiler/model/profile-query.js';
import { tokenOf } from '../../src/profiler/encoding/token.js';
import type {
  RecordStore,
  StoreOptions,
  StoreSearch,
} from '../../src/profiler/storage/tables/record-store.js';
import { until } from '../until.js';
import { anyConditions, anyFacts, expectedGroups, expectedTokens, finished } from './finished-records.js';

/** Opens a store. Stores opened with the same name share their records. */
export type OpenStore = (name: string, options?: StoreOptions) => RecordStore;

/** The contract for implementations of the port. `isShared`: several stores can be open at once, as in several processes. */
export function checkRecordStore(open: OpenStore, { isShared }: { readonly isShared: boolean }): void {
  let opened = 0;
  const fresh = (): string => `contract${opened++}`;
  const using = async (
    work: (store: RecordStore, name: string) => Promise<void>,
    options?: StoreOptions,
  ): Promise<void> => {
    const name = fresh();
    const store = open(name, options);
    try {
      await work(store, name);
    } finally {
      await store.close();
    }
  };
  const first = async (store: RecordStore): Promise<number> =>
    (await store.append({ records: [], reserve: 64 })).reserved?.from ?? -1;
  const tokensOf = async (store: RecordStore, search: Partial<StoreSearch> = {}): Promise<string[]> =>
    (await store.list({ query: {}, limit: 1000, ...search })).rows.map(({ token }) => token);

  it('returns a record and its row as they were appended', () =>
    using(async (store) => {
      const id = await first(store);
      const numbers = { 'db.queries': 3, 'db.durationMs': 1.25 };
      const one = finished({
        id,
        path: '/é',
        startedAt: 1_700_000_000_000.125,
        durationMs: 0.0625,
        user: 'Ada',
        numbers,
      });
      const { tally, refused } = await store.append({ records: [one] });
      assert.equal(tally.records, 1);
      assert.ok(tally.bytes > 0);
      assert.equal(refused, 0);
      assert.deepEqual(await store.find(id), { kind: 'found', record: one.record });
      const {
        framework,
        unaccounted = 0,
        ...others
      } = (await store.list({ query: {}, limit: 5 })).rows[0]?.breakdown ?? {};
      const { rows } = await store.list({ query: {}, limit: 5 });
      assert.deepEqual({ ...rows[0], breakdown: undefined }, { ...one.summary, breakdown: undefined });
      const none = { app: 0, database: 0, http: 0, rendering: 0, waiting: 0, busy: 0, profiler: 0 };
      assert.deepEqual(others, none);
      assert.ok(Math.abs((framework ?? 0) + unaccounted - 0.0625) < 1e-9);
    }));

  it('keeps text that no database can store unchanged: NUL and unpaired surrogates', () =>
    using(async (store) => {
      const id = await first(store);
      const one = finished({ id, path: '/a\0b\ud800', route: 'r\0', exception: '\udc00' });
      await store.append({ records: [one] });
      const [row] = (await store.list({ query: {}, limit: 1 })).rows;
      assert.deepEqual([row?.path, row?.route, row?.exception], ['/a\ufffdb\ufffd', 'r\ufffd', '\ufffd']);
      assert.deepEqual(await store.find(id), { kind: 'found', record: one.record });
    }));

  it('cuts values that are too long for a column, and marks the cut', () =>
    using(async (store) => {
      const id = await first(store);
      const one = finished({ id, route: 'r'.repeat(5000), path: `/${'p'.repeat(9000)}` });
      await store.append({ records: [one] });
      const [row] = (await store.list({ query: {}, limit: 1 })).rows;
      assert.deepEqual([row?.route?.length, row?.path.length], [300, 4000]);
      assert.match(row?.route ?? '', /r…$/);
      assert.match(row?.path ?? '', /p…$/);
      const found = await store.find(id);
      assert.deepEqual(found.kind === 'found' && found.record, one.record);
    }));

  it('reserves ids that no one else gets', () =>
    using(async (store, name) => {
      const others = isShared ? [open(name), open(name)] : [];
      const stores = [store, store, ...others, ...others];
      const answers = await Promise.all(stores.map((one) => one.append({ records: [], reserve: 100 })));
      const ids = answers.flatMap(({ reserved }) =>
        Array.from(
          { length: (reserved?.to ?? 0) - (reserved?.from ?? 0) },
          (_, at) => (reserved?.from ?? 0) + at,
        ),
      );
      assert.equal(new Set(ids).size, stores.length * 100);
      await Promise.all(others.map((other) => other.close()));
    }));

  it('refuses a record whose token is taken, and treats the same record as one', () =>
    using(async (store) => {
      const id = await first(store);
      const one = finished({ id, path: '/one' });
      await store.append({ records: [one] });
      const other = finished({ id, path: '/other' });
      const fresh2 = finished({ id: id + 1 });
      const answer = await store.append({ records: [other, fresh2] });
      assert.deepEqual([answer.refused, answer.tally.records], [1, 2]);
      const again = await store.append({ records: [one, fresh2] });
      assert.deepEqual([again.refused, again.tally.records], [0, 2]);
      const found = await store.find(id);
      assert.equal(found.kind === 'found' && found.record.request.path, '/one');
      const next = await store.find(id + 1);
      assert.equal(next.kind, 'found');
    }));

  it('keeps the newest records of each origin, counts waiting ones, and says which limit removed the others', () =>
    using(
      async (store) => {
        const id = await first(store);
        const made = Array.from({ length: 20 }, (_, at) =>
          finished({ id: id + at, origin: at % 2 ? 'profiler' : 'app' }),
        );
        const { tally } = await store.append({ records: made, waiting: { app: 2, profiler: 0 } });
        assert.equal(tally.records, 8);
        assert.deepEqual(
          await tokensOf(store),
          [18, 16, 14, 12, 10].map((at) => tokenOf(id + at)),
        );
        assert.deepEqual(
          await tokensOf(store, { query: { origin: 'profiler' } }),
          [19, 17, 15].map((at) => tokenOf(id + at)),
        );
        await store.append({ records: [] }); // nothing is pending any more
        assert.deepEqual(await store.find(id), { kind: 'pruned', by: 'count' });
      },
      { retention: { records: 7, profilerRecords: 3 } },
    ));

  it('keeps the newest failures beyond its record limit: server errors and exceptions, but not client errors', () =>
    using(
      async (store) => {
        const id = await first(store);
        const failed = [
          { status: 500 },
          { status: 503 },
          { status: 200, errorClass: 'Error' },
          { status: 500 },
        ];
        const others = [{ status: 404, errorClass: 'NotFound' }, { status: 200 }];
        const before = [...failed, ...others].map((facts, at) =>
          finished({ id: id + at, path: `/${at}`, ...facts }),
        );
        await store.append({ records: before });
        await store.append({ records: [finished({ id: id + 6, origin: 'profiler', status: 500 })] });
        const ordinary = (from: number): Parameters<RecordStore['append']>[0]['records'] =>
          Array.from({ length: 5 }, (_, at) => finished({ id: id + from + at }));
        for (const from of [10, 15, 20, 25]) await store.append({ records: ordinary(from) });
        const newest = [29, 28, 27, 26, 25].map((at) => tokenOf(id + at));
        const kept = [3, 2, 1].map((at) => tokenOf(id + at));
        assert.deepEqual(await tokensOf(store), [...newest, ...kept]);
        assert.deepEqual(await store.find(id), { kind: 'pruned', by: 'count' });
        const found = await store.find(id + 1);
        assert.equal(found.kind === 'found' && found.record.request.path, '/1');
        assert.equal((await store.append({ records: [] })).tally.records, 9, 'with that of the profiler');
        // A pin also keeps it, and frees its slot; without the pin it counts as one of the failures again.
        await store.update({ id: id + 1 }, { mark: { note: '' } });
        await store.append({ records: [finished({ id: id + 40, status: 500 }), ...ordinary(50)] });
        assert.deepEqual(
          (await tokensOf(store)).slice(5),
          [40, 3, 2, 1].map((at) => tokenOf(id + at)),
        );
        await store.update({ id: id + 1 }, { mark: null });
        await store.append({ records: ordinary(60) });
        assert.deepEqual(
          (await tokensOf(store)).slice(5),
          [40, 3, 2].map((at) => tokenOf(id + at)),
        );
        assert.equal(await store.update({ origin: 'app' }, { remove: true }), 8);
        assert.equal((await store.append({ records: [] })).tally.records, 1);
      },
      { retention: { records: 5, failures: 3 } },
    ));

  it('keeps no failure beyond its record limit if none is to be kept', () =>
    using(
      async (store) => {
        const id = await first(store);
        const failed = Array.from({ length: 4 }, (_, at) => finished({ id: id + at, status: 500 }));
        await store.append({ records: failed });
        assert.deepEqual(await tokensOf(store), [tokenOf(id + 3), tokenOf(id + 2)]);
      },
      { retention: { records: 2, failures: 0 } },
    ));

  it('removes failures kept beyond its limit when they are too old', () =>
    using(
      async (store) => {
        const id = await first(store);
        await store.append({ records: [finished({ id, status: 500 })] });
        let more = id + 1;
        const append = async (): Promise<void> =>
          void (await store.append({ records: [finished({ id: more++ })] }));
        await append();
        assert.equal((await store.find(id)).kind, 'found');
        await until(async () => {
          await append();
          return (await store.find(id)).kind === 'pruned';
        });
      },
      { retention: { records: 1, ageDays: 300 / 86_400_000 } },
    ));

  it("keeps failures beyond the byte limit, up to that limit's size", () =>
    using(
      async (store) => {
        const id = await first(store);
        const path = (): string => `/${randomBytes(1500).toString('base64url')}`;
        for (let at = 0; at < 16; at += 4) {
          const records = Array.from({ length: 200 }, (_, more) =>
            finished({ id: id + at * 50 + more, path: path(), status: at === 0 && more < 20 ? 500 : 200 }),
          );
          await store.append({ records });
        }
        const kept = await tokensOf(store, {
          query: { where: [{ columns: ['status'], test: { kind: 'numbers', ranges: [[500, 599]] } }] },
        });
        assert.ok(kept.length >= 5, String(kept.length)); // the number that fits depends on the store
        const { tally } = await store.append({ records: [] });
        assert.ok(tally.bytes <= 1024 * 1024, String(tally.bytes));
        for (let at = 0; at < 3; at++) {
          const records = Array.from({ length: 200 }, (_, more) =>
            finished({ id: id + 5000 + at * 200 + more, path: path(), status: 500 }),
          );
          await store.append({ records });
        }
        assert.ok((await store.append({ records: [] })).tally.bytes <= 1024 * 1024);
        assert.deepEqual((await tokensOf(store, { limit: 1 }))[0], tokenOf(id + 5000 + 599));
      },
      { retention: { bytes: 1024 * 1024 } },
    ));

  it('finds no row after an invalid cursor, such as a token', () =>
    using(async (store) => {
      const id = await first(store);
      await store.append({ records: [finished({ id })] });
      for (const before of ['723e74', '123456', 'nonsense', '', '1_2_3', '1e999_1'])
        assert.deepEqual(await tokensOf(store, { before }), [], before);
    }));

  it('removes records that were written too long ago', () =>
    using(
      async (store) => {
        const id = await first(store);
        await store.append({ records: [finished({ id })] });
        await until(async () => (await store.append({ records: [] })).tally.records === 0);
        assert.deepEqual(await store.find(id), { kind: 'pruned', by: 'age' });
      },
      { retention: { ageDays: 20 / 86_400_000 } },
    ));

  it('removes the oldest records if they take too many bytes', () =>
    using(
      async (store) => {
        const id = await first(store);
        const path = (): string =>
          `/${Array.from({ length: 3000 }, () => String.fromCodePoint(33 + Math.floor(Math.random() * 90))).join('')}`;
        for (let at = 0; at < 64; at += 8) {
          const records = Array.from({ length: 200 }, (_, more) =>
            finished({ id: id + at * 200 + more, path: path() }),
          );
          await store.append({ records });
        }
        assert.deepEqual(await store.find(id), { kind: 'pruned', by: 'bytes' });
        const { tally } = await store.append({ records: [] });
        assert.ok(tally.bytes <= 4 * 1024 * 1024, String(tally.bytes));
        assert.ok(tally.records > 100);
        assert.equal((await tokensOf(store, { limit: 1 }))[0], tokenOf(id + 56 * 200 + 199));
      },
      { retention: { bytes: 4 * 1024 * 1024 } },
    ));

  it('distinguishes a token that was never issued from one whose record has not arrived or was removed', () =>
    using(async (store) => {
      const { reserved } = await store.append({ records: [], reserve: 8 });
      const { from = 0, to = 0 } = reserved ?? {};
      assert.deepEqual(await store.find(to), { kind: 'never' });
      assert.deepEqual(await store.find(2 ** 48 + 7), { kind: 'never' });
      assert.deepEqual(await store.find(from), { kind: 'missing' });
      await store.append({ records: [finished({ id: from + 1 }), finished({ id: to + 3 })] });
      assert.deepEqual(await store.find(from), { kind: 'missing' });
      assert.deepEqual(await store.find(to + 1), { kind: 'missing' }, 'an id that a process has reserved');
      assert.deepEqual(await store.find(to + 4), { kind: 'never' });
      assert.equal(await store.update({ id: from + 1 }, { remove: true }), 1);
      assert.deepEqual(await store.find(from + 1), { kind: 'pruned', by: 'purge' });
    }));

  it('lists and counts like a plain in-memory filter, for any records and queries', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyFacts, { maxLength: 12 }),
        fc.array(anyConditions, { minLength: 1, maxLength: 6 }),
        fc.option(fc.constantFrom('durationMs', 'status', 'startedAt', 'db.queries', 'nothing'), {
          nil: undefined,
        }),
        fc.boolean(),
        async (facts, queries, column, isAscending) => {
          await using(async (store) => {
            const id = await first(store);
            const records = facts.map((one, at) => finished({ ...one, id: id + at }));
            await store.append({ records });
            const summaries = records.map(({ summary }) => summary);
            const sort = column === undefined ? undefined : { column, isAscending };
            for (const where of queries) {
              const expected = expectedTokens(summaries, where, sort);
              const query = { where, ...(sort === undefined ? {} : { sort }) };
              assert.deepEqual(await readPages(store, query, 5), expected, JSON.stringify(where));
              const { groups } = await store.totals({ where, groupBy: ['route'] });
              const met = summaries.filter(({ token }) => expected.includes(token));
              const counted = new Map(groups.map(({ values, count }) => [values[0], count]));
              assert.deepEqual(counted, expectedGroups(met, 'route'), JSON.stringify(where));
              const [all] = (await store.totals({ where, isCountOnly: true })).groups;
              assert.equal(all?.count ?? 0, expected.length);
            }
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('counts failures, times, steps and durations for each group', () =>
    using(async (store) => {
      const id = await first(store);
      const at = 1_700_000_000_000;
      const made = Array.from({ length: 60 }, (_, n) =>
        finished({
          id: id + n,
          startedAt: at + n * 10,
          durationMs: n + 1,
          route: n < 55 ? 'many' : 'few',
          status: n % 10 === 0 ? 500 : 200,
        }),
      );
      await store.append({ records: made });
      const steps = { from: at, stepMs: 100, count: 3 };
      const { groups, complete } = await store.totals({ groupBy: ['route'], steps });
      assert.equal(complete, true);
      const [many, few] = groups;
      assert.deepEqual(
        [many?.values, many?.count, many?.failed, many?.firstAt, many?.lastAt, many?.durations.at(-1)?.[0]],
        [['many'], 55, 6, at, at + 540, 55],
      );
      assert.deepEqual(many?.steps, [
        [10, 1],
        [10, 1],
        [10, 1],
      ]);
      assert.equal(many?.lastToken, tokenOf(id + 54));
      assert.deepEqual(
        [few?.count, few?.durations],
        [
          5,
          [
            [58, 3],
            [60, 2],
          ],
        ],
      );
      assert.equal(
        many?.durations.reduce((all, [, count]) => all + count, 0),
        55,
      );
      for (const [share, exact] of [
        [0.5, 28],
        [0.95, 53],
        [1, 55],
      ] as const) {
        const found = durationQuantile(many ?? { durations: [] }, share);
        assert.ok(found >= exact && found <= exact * 1.095, `${share}: ${found}`);
      }
      const counted = await store.totals({ steps, isCountOnly: true });
      const only = counted.groups.map(({ count, failed, steps: made }) => ({ count, failed, made }));
      const three = Array.from({ length: 3 }, () => [10, 1]);
      assert.deepEqual(only, [{ count: 60, failed: 6, made: three }]);
    }));

  it('follows: returns the rows written after a position, each once, in writing order', () =>
    using(async (store, name) => {
      const id = await first(store);
      await store.append({ records: [finished({ id })] });
      let { position } = await store.list({ query: {}, limit: 1 });
      const writer = isShared ? open(name) : store;
      const seen: string[] = [];
      for (let at = 1; at < 13; at += 3) {
        await writer.append({
          records: [at, at + 1, at + 2].map((n) => finished({ id: id + n, startedAt: 5000 - n })),
        });
        for (;;) {
          const page = await store.list({ query: {}, after: position, limit: 2 });
          assert.equal(page.isGap, undefined);
          seen.push(...page.rows.map(({ token }) => token));
          ({ position } = page);
          if (page.rows.length < 2) break;
        }
      }
      assert.deepEqual(
        seen,
        Array.from({ length: 12 }, (_, at) => tokenOf(id + 1 + at)),
      );
      assert.equal((await store.list({ query: {}, after: 'elsewhere.5', limit: 2 })).isGap, true);
      if (writer !== store) await writer.close();
    }));

  it('keeps a marked record beyond every limit, finds it by its mark, and releases it when the mark is removed', () =>
    using(
      async (store) => {
        const id = await first(store);
        await store.append({ records: [finished({ id, path: '/kept' }), finished({ id: id + 1 })] });
        const mark = { note: '100% later' };
        assert.equal(await store.update({ id }, { mark }), 1);
        assert.equal(await store.update({ id: id + 60 }, { mark }), 0);
        const more = Array.from({ length: 10 }, (_, at) => finished({ id: id + 2 + at }));
        const { tally } = await store.append({ records: more });
        assert.equal(tally.records, 4);
        const found = await store.find(id);
        assert.deepEqual(found.kind === 'found' && [found.record.request.path, found.mark], ['/kept', mark]);
        for (const [column, kind, text, isFound] of [
          ['mark.note', 'contains', '100%', true],
          ['mark.note', 'starts', '100% L', true],
          ['mark.note', 'starts', 'later', false],
          ['mark.note', 'is', '100% LATER', true],
          ['mark.note', 'is', '100%', false],
          ['mark.pin', 'is', 'pin', true],
        ] as const) {
          const where = [{ columns: [column], test: { kind, texts: [text] } }];
          assert.deepEqual(
            await tokensOf(store, { query: { where } }),
            isFound ? [tokenOf(id)] : [],
            `${column} ${kind} ${text}`,
          );
        }
        await store.update({ id }, { mark: null });
        await store.append({ records: [finished({ id: id + 20 })] });
        assert.deepEqual(await store.find(id), { kind: 'pruned', by: 'count' });
      },
      { retention: { records: 3 } },
    ));

  it("keeps a pinned record's document without the removed ones stored with it, and finds it without its mark too", () =>
    using(
      async (store) => {
        const id = await first(store);
        const paths = Array.from({ length: 20 }, () => `/${randomBytes(8000).toString('hex')}`);
        const records = paths.map((path, at) => finished({ id: id + at, path }));
        const { tally: before } = await store.append({ records });
        await store.update({ id: id + 5 }, { mark: { note: '' } });
        const found = await store.find(id + 6);
        assert.equal(found.kind === 'found' && found.record.request.path, paths[6]);
        await store.append({
          records: Array.from({ length: 20 }, (_, at) => finished({ id: id + 20 + at })),
        });
        const { tally } = await store.append({ records: [] });
        assert.equal(tally.records, 21);
        assert.ok(tally.bytes < before.bytes / 3, `${tally.bytes} of ${before.bytes}`);
        await store.update({ id: id + 5 }, { mark: null });
        const alone = await store.find(id + 5);
        assert.equal(alone.kind === 'found' && alone.record.request.path, paths[5]);
        await store.append({ records: [finished({ id: id + 40 })] });
        assert.deepEqual(await store.find(id + 5), { kind: 'pruned', by: 'count' });
      },
      { retention: { records: 20 } },
    ));

  it('refuses the 101st mark', () =>
    using(async (store) => {
      const id = (await store.append({ records: [], reserve: 128 })).reserved?.from ?? 0;
      await store.append({ records: Array.from({ length: 101 }, (_, at) => finished({ id: id + at })) });
      const mark = { note: '' };
      for (let at = 0; at < 100; at++) await store.update({ id: id + at }, { mark });
      await assert.rejects(store.update({ id: id + 100 }, { mark }), { code: 'PROFILER_MARKS_FULL' });
      assert.equal(await store.update({ id }, { mark: { note: 'again' } }), 1);
      await assert.rejects(store.update({ id: id + 100 }, { mark }), { code: 'PROFILER_MARKS_FULL' });
      for (let again = 0; again < 2; again++) await store.update({ id }, { mark: null });
      assert.equal(await store.update({ id: id + 100 }, { mark }), 1);
      await assert.rejects(store.update({ id }, { mark }), { code: 'PROFILER_MARKS_FULL' });
    }));

  it('adds late entries to the record and to its row', () =>
    using(async (store) => {
      const id = await first(store);
      await store.append({ records: [finished({ id })] });
      const line = { time: 1, offsetMs: 1, level: 'error', channel: 'app', message: 'late' };
      const lines = (level: string): (typeof line)[] => Array.from({ length: 5 }, () => ({ ...line, level }));
      const error = { message: 'too late', class: 'LateError', frames: [], label: 'e' };
      const exception = { errors: [error] } as unknown as ErrorReport; // as much of it as is read
      await store.update({ id }, { late: { logs: ['error', 'warning', 'info'].flatMap(lines) } });
      await store.update({ id }, { late: { logs: Array.from({ length: 15 }, () => line), exception } });
      const found = await store.find(id);
      assert.equal(found.kind, 'found');
      if (found.kind !== 'found') return;
      const { logs, logTotals, limits, exception: thrown } = found.record;
      assert.deepEqual([logs.length, logTotals.total, thrown?.errors[0]?.message], [20, 30, 'too late']);
      assert.deepEqual(limits, [{ what: 'late logs', kept: 20, total: 30, limit: 20 }]);
      const where = [{ columns: ['errorClass'], test: { kind: 'is', texts: ['lateerror'] } }] as const;
      const [row] = (await store.list({ query: { where }, limit: 1 })).rows;
      assert.deepEqual([row?.logs, row?.errors, row?.warnings, row?.exception], [30, 20, 25, 'too late']);
    }));

  it('removes all records of an origin, including marked ones', () =>
    using(async (store) => {
      const id = await first(store);
      await store.append({
        records: [finished({ id }), finished({ id: id + 1 }), finished({ id: id + 2, origin: 'profiler' })],
      });
      await store.update({ id }, { mark: { note: '' } });
      assert.equal(await store.update({ origin: 'app' }, { remove: true }), 2);
      assert.deepEqual(await tokensOf(store), []);
      assert.equal((await tokensOf(store, { query: { origin: 'profiler' } })).length, 1);
      assert.deepEqual(await store.find(id), { kind: 'pruned', by: 'purge' });
    }));

  it('answers queries while it writes', () =>
    using(async (store) => {
      const id = (await store.append({ records: [], reserve: 1024 })).reserved?.from ?? 0;
      const writes = Array.from({ length: 10 }, (_, at) =>
        store.append({ records: Array.from({ length: 20 }, (__, n) => finished({ id: id + at * 20 + n })) }),
      );
      const reads = Array.from({ length: 10 }, () => store.list({ query: {}, limit: 1000 }));
      for (const { rows } of await Promise.all(reads)) assert.equal(rows.length % 20, 0);
      await Promise.all(writes);
      assert.equal((await tokensOf(store)).length, 200);
    }));
}

async function readPages(store: RecordStore, query: StoreSearch['query'], limit: number): Promise<string[]> {
  const tokens: string[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await store.list({ query, limit, ...(before === undefined ? {} : { before }) });
    tokens.push(...page.rows.map(({ token }) => token));
    if (page.next === null) return tokens;
    before = page.next;
  }
}
