import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ProfileRecord } from 'lookback/profiler';
import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { writeManifest } from './flagged-program.js';
import { askAtOnce } from './wire.js';
import { startPostgres, type TestPostgres } from '../persistence/start-postgres.js';
import { startRedis, type TestRedis } from '../security/start-redis.js';

const root = resolve('.');
const count = 80;

/** Answers with an item's price, and logs it. */
const prices = `
import { createServer } from 'node:http';
const server = createServer((request, response) => {
  const id = request.url.split('/').at(-1);
  console.log('price of ' + id);
  setTimeout(() => response.end(JSON.stringify({ price: Number(id) })), id % 5);
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send('up'));`;

/** Each line calls a different service; the test looks for the lines in the record. */
const page = `
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';

interface Item { id: number }
const log = pino({}, pino.destination('/dev/null'));
const pool = new pg.Pool({ connectionString: process.env.DATABASE, max: 8 });
const redis = new Redis(String(process.env.REDIS));
const app = express();
app.get('/items/:id', async function showItem(request, response) {
  const id = Number(request.params.id);
  const { rows } = await pool.query<Item>('select $1::int as id', [id]);
  await redis.set('item:' + id, 'seen');
  const answer = await fetch(process.env.PRICES + '/price/' + id);
  log.info({ id }, 'item ' + id);
  response.json({ ...rows[0], ...(await answer.json() as object) });
});
const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('up'));
server.keepAliveTimeout = 60_000;`;

const lineOf = (text: string): number => page.split('\n').findIndex((line) => line.includes(text)) + 1;

describe('a page with PostgreSQL, Redis, another service and pino, under the flag', () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let folder: string;
  const children: ChildProcess[] = [];
  before(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    await postgres.createDatabase('whole_page');
    folder = mkdtempSync(join(tmpdir(), 'page-'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([postgres.stop(), redis.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (name: string, text: string, env: Record<string, string> = {}): Promise<string> => {
    writeFileSync(join(folder, name), text);
    writeManifest(folder, page, prices);
    const port = await freePort();
    const flags = ['--import', join(root, 'dist/bundle/register.js'), '--import', 'tsx'];
    const child = spawn(process.execPath, [...flags, name], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PORT: String(port), PROFILER_STORE: 'memory:', ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(child);
    await once(child, 'message');
    return `http://127.0.0.1:${port}`;
  };

  it(`records everything with its location, and mixes up none of ${count} concurrent requests`, async () => {
    const other = await start('prices.mjs', prices);
    const database = `postgres://postgres:postgres@127.0.0.1:${postgres.port}/whole_page`;
    const origin = await start('page.ts', page, { DATABASE: database, REDIS: redis.url, PRICES: other });
    const recordOf = async (at: string, token: string): Promise<ProfileRecord> => {
      // The record is closed when the connection is finished.
      let text = '';
      return until(
        async () => {
          text = await (await fetch(`${at}/_profiler/${token}.json`)).text();
          return text.includes('"state":"complete"') && (JSON.parse(text) as ProfileRecord); // our own JSON
        },
        () => text.slice(0, 500),
      );
    };
    const get = askAtOnce(Number(new URL(origin).port));
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, id) => {
        const { headers, text } = await get(`/items/${id}`);
        assert.deepEqual(JSON.parse(text), { id, price: id });
        return { id, token: String(headers['x-debug-token']) };
      }),
    );
    assert.equal(new Set(answers.map(({ token }) => token)).size, count);
    for (const { id, token } of answers.filter((answer) => answer.id % 4 === 0)) {
      const record = await recordOf(origin, token);
      assert.equal(record.route?.path, '/items/:id');
      assert.equal(record.controller?.name, 'showItem');
      const found = factsOf(record);
      assert.deepEqual(found, {
        queries: [['select $1::int as id', String(id), `page.ts:${lineOf('pool.query')}`]],
        commands: [['SET', `item:${id} ?`, `page.ts:${lineOf('redis.set')}`]],
        calls: [[`${other}/price/${id}`, `page.ts:${lineOf('await fetch')}`]],
        logs: [[`item ${id}`, `page.ts:${lineOf('log.info')}`]],
      });
      // The record of the other service has its log lines for this request.
      const { calls } = record.sections['http'] as unknown as Http; // the type that the collector stores
      const inner = await recordOf(other, calls[0]?.record ?? '');
      assert.deepEqual(
        inner.logs.map(({ message }) => message),
        [`price of ${id}`],
      );
    }
  });
});

type Location = readonly { readonly file: string; readonly line: number }[];
interface Http {
  readonly calls: readonly {
    readonly url: string;
    readonly record: string | null;
    readonly callSite: Location;
  }[];
}
interface Facts {
  readonly db: {
    readonly queries: readonly {
      readonly sql: string;
      readonly params: readonly { readonly value: { readonly text: string } }[];
      readonly callSite: Location;
    }[];
  };
  readonly cache: {
    readonly commands: readonly {
      readonly command: string;
      readonly args: string;
      readonly callSite: Location;
    }[];
  };
  readonly http: Http;
}

/** The request's calls and log lines, each with the line of code. */
function factsOf(record: ProfileRecord): Record<string, readonly (readonly (string | undefined)[])[]> {
  const { db, cache, http } = record.sections as unknown as Facts; // the types that the collectors store
  const location = ([first]: Location): string => `${first?.file.split('/').at(-1)}:${first?.line}`;
  return {
    queries: db.queries.map(({ sql, params, callSite }) => [sql, params[0]?.value.text, location(callSite)]),
    commands: cache.commands.map(({ command, args, callSite }) => [command, args, location(callSite)]),
    calls: http.calls.map(({ url, callSite }) => [url, location(callSite)]),
    logs: record.logs.map(({ message, context }) => [
      message,
      /page\.ts:\d+/.exec(JSON.stringify(context))?.[0],
    ]),
  };
}
