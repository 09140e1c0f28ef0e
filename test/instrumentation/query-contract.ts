import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DbSection } from '#profiler';
import { queryExplainer, recordQueries } from '#profiler/instrumentation';
import { readSelect } from '../../src/profiler/sections/database/read-select.js';
import { createRecorderBench, dbOf, type RecorderBench } from './recorder-bench.js';

/** A database client, and how to send queries with its own API. */
export interface QuerySubject {
  readonly name: string;
  start(): Promise<QueryClient>;
}

export interface QueryClient {
  /** The argument for `recordQueries`. */
  readonly target: object;
  /** Sends `select <value>::int as n` with this client; returns n. */
  ask(client: never, value: number): Promise<unknown>;
  /** Queries the table `people` by its column `password`. */
  askSecret(client: never, password: string): Promise<unknown>;
  /** Queries a table that does not exist. */
  fail(client: never): Promise<unknown>;
  /** Sends two queries in one transaction. */
  transaction?(client: never, value: number): Promise<unknown>;
  /** Whether it reports queries itself, without `recordQueries`. */
  readonly isAutomatic?: true;
  /** Whether the call site is known in that case too. */
  readonly hasOwnLocations?: true;
  /** Queries are sent only when awaited, for which V8 keeps no stack. */
  readonly isLazy?: true;
  stop(): Promise<void>;
}

/** The contract for every client's queries. */
export function describeQueries(subject: QuerySubject): void {
  describe(`${subject.name} queries`, () => {
    let bench: RecorderBench;
    let client: QueryClient;
    let instrumented: never;
    before(async () => {
      bench = createRecorderBench();
      client = await subject.start();
      instrumented = recordQueries(client.target) as never; // the type that `ask` takes
    });
    after(async () => {
      await client.stop();
      await bench.close();
    });

    it('are recorded with statement, values, rows, duration and call site', async () => {
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

    it('of the same shape are grouped as N+1', async () => {
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

    it('do not reveal secret values', async () => {
      const record = await bench.record(() => client.askSecret(instrumented, 'hunter2'));
      assert.equal(dbOf(record).totals.queries, 1);
      assert.doesNotMatch(JSON.stringify(record), /hunter2/);
    });

    it('that fail are recorded with the reason, and fail as they would', async () => {
      const { queries } = dbOf(
        await bench.record(() => assert.rejects(client.fail(instrumented), /missing_table/)),
      );
      assert.match(queries[0]?.error ?? '', /missing_table/);
    });

    it('that fail have the frames of the awaiting function, as without a record', async () => {
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

    it('in a transaction are recorded', async (test) => {
      if (client.transaction === undefined) return test.skip('the client has no transactions of its own');
      const { queries } = dbOf(await bench.record(() => client.transaction?.(instrumented, 5)));
      assert.deepEqual(queries.flatMap(valuesOf), [5, 6], JSON.stringify(queries.map(({ sql }) => sql)));
      return undefined;
    });

    it('are in the record of the request that sent them, with 60 concurrent requests', async () => {
      const asked = await Promise.all(
        Array.from({ length: 60 }, async (_, value) => {
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

    it('have a plan, with known values and with placeholders for hidden ones', async (test) => {
      if (client.isAutomatic === true) return test.skip('only clients passed to recordQueries explain');
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

    it('outside a request belong to no record', async () => {
      const record = await bench.recordBeside(async () => {
        assert.equal(Number(await client.ask(instrumented, 1)), 1);
      });
      assert.deepEqual(dbOf(record).queries, []);
      const sent = dbOf(await bench.recordBeside(() => bench.record(() => client.ask(instrumented, 1))));
      assert.deepEqual(sent.queries, [], 'the query does not land in another request either');
    });

    it('are recorded without recordQueries if the client reports them itself', async (test) => {
      if (client.isAutomatic !== true) return test.skip('the client reports nothing by itself');
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

/** The numbers sent with a query: as parameters, or in the statement if the client puts them there. */
function valuesOf({ sql, params }: DbSection['queries'][number]): number[] {
  const inside = /select (\d+)/.exec(sql)?.[1];
  return params.length > 0 || inside === undefined
    ? params.map(({ value }) => Number(value.text))
    : [Number(inside)];
}
