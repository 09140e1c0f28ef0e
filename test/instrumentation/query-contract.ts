import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DbSection } from '#profiler';
import { queryExplainer, recordQueries } from '#profiler/instrumentation';
import { readSelect } from '../../src/profiler/sections/database/read-select.js';
import { createRecorderBench, dbOf, type RecorderBench } from './recorder-bench.js';

/** A database client, and how it is asked in its own words. */
export interface QuerySubject {
  readonly name: string;
  start(): Promise<QueryClient>;
}

export interface QueryClient {
  /** What `recordQueries` is given. */
  readonly target: object;
  /** `select <value>::int as n` of the client given; gives n. */
  ask(client: never, value: number): Promise<unknown>;
  /** A query of the table `people` by its column `password`. */
  askSecret(client: never, password: string): Promise<unknown>;
  /** A query of a table that is not there. */
  fail(client: never): Promise<unknown>;
  /** Two queries in one transaction. */
  transaction?(client: never, value: number): Promise<unknown>;
  /** Whether it tells of itself, without `recordQueries`. */
  readonly isAutomatic?: true;
  /** Whether the place is known then, too. */
  readonly hasOwnLocations?: true;
  /** A query is asked when it is waited for: V8 keeps no stack of that. */
  readonly isLazy?: true;
  stop(): Promise<void>;
}

/** What holds for the queries of every client. */
export function describeQueries(subject: QuerySubject): void {
  describe(`queries of ${subject.name}`, () => {
    let bench: RecorderBench;
    let client: QueryClient;
    let instrumented: never;
    before(async () => {
      bench = createRecorderBench();
      client = await subject.start();
      instrumented = recordQueries(client.target) as never; // what `ask` takes
    });
    after(async () => {
      await client.stop();
      await bench.close();
    });

    it('are kept with statement, values, rows, duration and place', async () => {
      const startedAt = performance.now();
      const { queries, totals } = dbOf(
        await bench.record(async function handler() {
          assert.equal(Number(await client.ask(instrumented, 7)), 7);
        }),
      );
      assert.equal(totals.queries, 1, JSON.stringify(queries));
      const [query] = queries;
      assert.match(query?.sql ?? '', /select/i);
      assert.ok(query !== undefined);
      assert.deepEqual(valuesOf(query), [7]);
      assert.equal(query?.rows, 1);
      assert.equal(query?.error, null);
      assert.ok((query?.durationMs ?? 0) > 0);
      assert.ok(query.durationMs <= performance.now() - startedAt);
      if (client.isLazy !== true)
        assert.match(query?.callSite[0]?.file ?? '', /test\/instrumentation\/.*\.test\.js$/);
    });

    it('queries of the same shape are found to be N+1', async () => {
      const { groups } = dbOf(
        await bench.record(async () => {
          for (const value of [1, 2, 3, 4]) await client.ask(instrumented, value);
        }),
      );
      assert.deepEqual(
        groups.map(({ kind, count }) => [kind, count]),
        [['n+1', 4]],
      );
    });

    it('secret values of queries are hidden', async () => {
      const record = await bench.record(() => client.askSecret(instrumented, 'hunter2'));
      assert.equal(dbOf(record).totals.queries, 1);
      assert.doesNotMatch(JSON.stringify(record), /hunter2/);
    });

    it('that fail are kept with the reason, and fail as they would', async () => {
      const { queries } = dbOf(
        await bench.record(() => assert.rejects(client.fail(instrumented), /missing_table/)),
      );
      assert.match(queries[0]?.error ?? '', /missing_table/);
    });

    it('that fail have the frames of whoever awaits them, as without a record', async () => {
      async function awaitingHere(): Promise<string> {
        try {
          return String(await client.fail(instrumented));
        } catch (error) {
          return (error instanceof Error && error.stack?.includes('awaitingHere')) === true
            ? 'named'
            : 'not named';
        }
      }
      const alone = await awaitingHere();
      let recorded = '';
      await bench.record(async () => {
        recorded = await awaitingHere();
      });
      assert.equal(recorded, alone);
    });

    it('queries of a transaction are kept', async (test) => {
      if (client.transaction === undefined) return test.skip('it has none of its own');
      const { queries } = dbOf(await bench.record(() => client.transaction?.(instrumented, 5)));
      assert.deepEqual(queries.flatMap(valuesOf), [5, 6], JSON.stringify(queries.map(({ sql }) => sql)));
      return undefined;
    });

    it('stand under the request that asked, with 250 requests at once', async () => {
      const asked = await Promise.all(
        Array.from({ length: 250 }, async (_, value) => {
          const token = await bench.run(async () => {
            await client.ask(instrumented, value);
            await client.ask(instrumented, value);
          });
          return { value, token };
        }),
      );
      await bench.profiler.flush();
      for (const { value, token } of asked) {
        const { queries } = dbOf(await bench.find(token));
        assert.deepEqual(queries.flatMap(valuesOf), [value, value]);
      }
    });

    it('give their plan, with their values and without those that are hidden', async (test) => {
      if (client.isAutomatic === true) return test.skip('only clients that recordQueries was given explain');
      const planOf = async (work: () => unknown): ReturnType<typeof queryExplainer.explain> => {
        const [query] = dbOf(await bench.record(work)).queries;
        const select = query === undefined ? undefined : readSelect(query);
        assert.ok(query !== undefined && select !== undefined, query?.sql);
        assert.ok(queryExplainer.knows(query.connection), query.connection);
        return queryExplainer.explain(select);
      };
      const known = await planOf(() => client.ask(instrumented, 7));
      assert.match(known.text, /Result|SCAN/);
      assert.equal(known.placeholders, 'values');
      const hidden = await planOf(() => client.askSecret(instrumented, 'hunter2'));
      assert.match(hidden.text, /Seq Scan on people|SCAN people/);
      assert.match(hidden.placeholders, /any|null/);
      return undefined;
    });

    it('belong to no request outside of one', async () => {
      const record = await bench.recordBeside(async () => {
        assert.equal(Number(await client.ask(instrumented, 1)), 1);
      });
      assert.deepEqual(dbOf(record).queries, []);
      const sent = dbOf(await bench.recordBeside(() => bench.record(() => client.ask(instrumented, 1))));
      assert.deepEqual(sent.queries, [], 'nor to another request');
    });

    it('are recorded without recordQueries where the client reports itself', async (test) => {
      if (client.isAutomatic !== true) return test.skip('it reports nothing');
      const fresh = await subject.start();
      const { totals, queries } = dbOf(
        await bench.record(async function handler() {
          await fresh.ask(fresh.target as never, 1);
        }),
      );
      assert.equal(totals.queries, 1);
      if (client.hasOwnLocations === true) assert.match(JSON.stringify(queries[0]?.callSite), /handler/);
      await fresh.stop();
      return undefined;
    });
  });
}

/** The numbers that a query was asked with: beside the statement, or in it where the client puts them there. */
function valuesOf({ sql, params }: DbSection['queries'][number]): number[] {
  const inside = /select (\d+)/.exec(sql)?.[1];
  return params.length > 0 || inside === undefined
    ? params.map(({ value }) => Number(value.text))
    : [Number(inside)];
}
