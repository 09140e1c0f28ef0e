import assert from 'node:assert/strict';
import { type EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import createKnex, { type Knex } from 'knex';
import mysql from 'mysql2';
import pg from 'pg';
import { breakdownOf, findingsOf, type ProfileRecord } from '#profiler';
import { startInstrumentations, type StartedInstrumentations } from '#profiler/instrumentation';
import { startPostgres, type TestPostgres } from '../persistence/start-postgres.js';
import { dbPanel } from '../../src/profiler/sections/database/panel.js';
import { textOf } from '../profiler/plain-record.js';
import { createRecorderBench, dbOf, type RecorderBench } from './recorder-bench.js';

interface Pooled {
  /** Sends a statement that waits for a connection with `pool.query` or its equivalent. */
  query(): Promise<unknown>;
  /** Takes a connection, calls `taken`, holds the connection for some milliseconds, and releases it. */
  hold(ms: number, taken?: () => void): Promise<unknown>;
  close(): unknown;
}

/** Pools with two connections. */
const pools: Readonly<Record<string, { readonly pool: string; open(port: number): Promise<Pooled> }>> = {
  'pg, with promises': {
    pool: 'postgresql',
    async open(port) {
      const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'postgres', password: 'postgres', max: 2 });
      return {
        query: () => pool.query('select 1 as one'),
        async hold(ms, taken) {
          const client = await pool.connect();
          taken?.();
          await sleep(ms); // the others wait this long
          client.release();
        },
        close: () => pool.end(),
      };
    },
  },
  'pg, with callbacks': {
    pool: 'postgresql',
    async open(port) {
      const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'postgres', password: 'postgres', max: 2 });
      return {
        query: () =>
          new Promise((resolve, reject) => {
            pool.query(
              'select 1 as one',
              (error: unknown, result: unknown) => (error ? reject(error as Error) : resolve(result)), // pg passes errors to callbacks
            );
          }),
        hold: (ms, taken) =>
          new Promise((resolve) => {
            pool.connect((_error, client, release) => {
              taken?.();
              setTimeout(() => {
                release();
                resolve(client);
              }, ms);
            });
          }),
        close: () => pool.end(),
      };
    },
  },
  'Knex on pg': {
    pool: 'tarn',
    async open(port) {
      const knex: Knex = createKnex({
        client: 'pg',
        connection: { host: '127.0.0.1', port, user: 'postgres', password: 'postgres' },
        pool: { min: 0, max: 2 },
      });
      return {
        query: () => knex.raw('select 1 as one'),
        hold: (ms, taken) =>
          knex.transaction(() => {
            taken?.();
            return sleep(ms); // the others wait this long
          }),
        close: () => knex.destroy(),
      };
    },
  },
  mysql2: {
    pool: 'mysql',
    async open() {
      const server = startMysql();
      await once(server._server, 'listening');
      const { port } = server._server.address();
      const pool = mysql.createPool({ host: '127.0.0.1', port, user: 'root', connectionLimit: 2 }).promise();
      return {
        query: () => pool.query('select 1 as one'),
        async hold(ms, taken) {
          const connection = await pool.getConnection();
          taken?.();
          await sleep(ms); // the others wait this long
          connection.release();
        },
        async close() {
          await pool.end();
          server.close();
        },
      };
    },
  },
};

type MysqlConnection = mysql.Connection & { stream: Socket } & Record<string, (...args: unknown[]) => void>;
interface MysqlServer extends EventEmitter {
  readonly _server: EventEmitter & { address(): { port: number } };
  listen(port: number): void;
  close(): void;
}

/** The MySQL wire protocol, with mysql2's own server: answers every statement. */
function startMysql(): MysqlServer {
  const server = (mysql as unknown as { createServer(): MysqlServer }).createServer(); // its types require a listener
  server.listen(0);
  server.on('connection', (connection: MysqlConnection) => {
    connection['serverHandshake']?.({
      protocolVersion: 10,
      serverVersion: '8.0',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: 0xff_ff_ff ^ 0x8_00,
    });
    // Disables Nagle's algorithm: mysql2 writes packets one by one, so each response would wait 40 ms for an acknowledgement.
    connection.stream.setNoDelay(true);
    const texts = { catalog: 'def', schema: '', table: '', orgTable: '', name: 'one', orgName: 'one' };
    const column = { ...texts, characterSet: 63, columnLength: 11, columnType: 3, flags: 129, decimals: 0 };
    connection.on('query', () => {
      connection['writeTextResult']?.([{ one: 1 }], [column]);
      Reflect.set(connection, 'sequenceId', 0); // every command restarts the sequence
    });
    connection.on('error', () => undefined);
  });
  return server;
}

describe('a request that waits for a connection', { timeout: 120_000 }, () => {
  let bench: RecorderBench;
  let server: TestPostgres;
  let instrumentations: StartedInstrumentations;
  before(async () => {
    bench = createRecorderBench();
    instrumentations = startInstrumentations();
    instrumentations.look();
    server = await startPostgres();
  });
  after(async () => {
    instrumentations.stop();
    await bench.close();
    await server.stop();
  });

  /** Two requests hold both connections while a third waits for one. */
  async function waitFor(pooled: Pooled, work: () => Promise<unknown>): Promise<[string[], ProfileRecord]> {
    await bench.run(() => Promise.all([pooled.hold(1), pooled.hold(1)])); // opens both connections
    const holders = [600, 700].map((ms) => bench.run(() => pooled.hold(ms)));
    await sleep(30); // each has its connection
    const waiting = bench.record(work);
    return [await Promise.all(holders), await waiting];
  }

  for (const [name, { pool, open }] of Object.entries(pools)) {
    it(`${name}: has the wait as a separate step, with the holders of the connections, and queries without it`, async () => {
      const pooled = await open(server.port);
      try {
        const [tokens, record] = await waitFor(pooled, () => pooled.query());
        const { waits, queries } = dbOf(record);
        const [wait] = waits?.list ?? [];
        assert.ok(waits?.count === 1 && wait !== undefined, JSON.stringify(record.sections['db']));
        assert.deepEqual([wait.pool, wait.inUse, wait.max, wait.isOpen], [pool, 2, 2, undefined]);
        assert.deepEqual(wait.holders.map(({ token }) => token).toSorted(), tokens.toSorted());
        assert.ok(
          wait.durationMs > 100 && wait.holders.every(({ heldMs }) => heldMs > 15),
          JSON.stringify(wait),
        );
        const sent = queries.find(({ sql }) => sql.startsWith('select 1'));
        assert.ok(sent !== undefined && sent.durationMs < 100, JSON.stringify(queries));
        assert.ok(sent.startedAt >= wait.startedAt + wait.durationMs - 5);
        const span = record.timeline.find(({ category }) => category === 'waiting');
        assert.equal(span?.name, 'waited for a connection, 2 of 2 in use');
        // On a busy machine, both include time without CPU.
        const { waiting, database, busy } = breakdownOf(record);
        assert.ok(waiting > 50 && waiting + busy > 100, JSON.stringify(breakdownOf(record)));
        assert.ok(database < 100, JSON.stringify(breakdownOf(record)));
        const [first, ...others] = findingsOf(record);
        const held = '(?:' + tokens.join('|') + ') for [\\d.]+ ms';
        assert.match(
          first?.text ?? '',
          new RegExp(`^Waited [\\d.]+ ms for a connection: 2 of 2 in use, held by ${held} and ${held}`),
        );
        // Knex sends the query on a stack of its own.
        if (pool !== 'tarn')
          assert.match(first?.text ?? '', /, from test\/instrumentation\/pools\.test\.[jt]s:\d+$/);
        const panel = textOf(dbPanel, record);
        assert.match(panel, new RegExp(`Waits for a connection[^]*2 of 2 in use, held by ${held}`));
        assert.deepEqual(
          others.filter(({ text }) => /does not watch/.test(text)),
          [],
        );
      } finally {
        await pooled.close();
      }
    });

    it(`${name}: reports that it got no connection while it still waits, and that it holds the connections itself`, async () => {
      const pooled = await open(server.port);
      try {
        await bench.run(() => Promise.all([pooled.hold(1), pooled.hold(1)])); // opens both connections
        let late: Promise<unknown> = Promise.resolve();
        const record = await bench.record(async () => {
          const holding: Promise<unknown>[] = [];
          const take = (): Promise<void> =>
            new Promise((resolve) => void holding.push(pooled.hold(150, resolve)));
          await Promise.all([take(), take()]);
          late = Promise.all([...holding, pooled.hold(1)]);
          await sleep(40); // the third waits for one
        });
        await late;
        const text = findingsOf(record).find(({ kind }) => kind === 'pool')?.text ?? '';
        assert.match(
          text,
          /^Waited [\d.]+ ms for a connection and got none: 2 of 2 in use, held by this request itself for /,
        );
      } finally {
        await pooled.close();
      }
    });
  }

  it('is not reported while the pool has room', async () => {
    const pooled = await pools['pg, with promises']?.open(server.port);
    assert.ok(pooled !== undefined);
    const record = await bench.record(() => Promise.all([pooled.query(), pooled.query()]));
    await pooled.close();
    assert.equal(dbOf(record).waits, undefined);
    assert.equal(dbOf(record).queries.length, 2);
  });
});
