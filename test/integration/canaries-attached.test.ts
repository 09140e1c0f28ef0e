import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { before, describe, it } from 'node:test';
import express, { type NextFunction, type Request, type Response } from 'express';
import { Redis } from 'ioredis';
import { createPool, type Pool } from 'mysql2/promise';
import pg from 'pg';
import { attach } from 'lookback/attach';
import { recordQueries } from 'lookback/instrumentation';
import { listenOn } from '../attach/apps/listen.js';
import { findPostgres } from '../profiler/store-servers.js';
import { startRedis } from '../security/start-redis.js';
import {
  graphql,
  inBodies,
  inErrorsAndLogs,
  inHeaders,
  inUrls,
  mayHoldSecret,
  plant,
  planted,
  type Send,
} from './canaries.js';
import { textsOf, tokensIn } from './stored-texts.js';

/** This machine's MariaDB; undefined if there is none. */
async function findMariaDb(): Promise<Pool | undefined> {
  const pool = createPool({
    host: '127.0.0.1',
    user: 'root',
    connectTimeout: 1000,
    multipleStatements: false,
  });
  try {
    await pool.query('select 1');
    return pool;
  } catch {
    await pool.end();
    return undefined;
  }
}

/** Statements with their values; PostgreSQL and MariaDB refuse all but the last, or return nothing. */
function postgresWork(): (readonly [sql: string, values: readonly string[]])[] {
  return [
    ['select 1 where $1 = $2 and $3 = password', ['a', 'b', plant('pg: reversed comparison')]],
    ['select id from person where name = $1 and password = $2', ['ada', plant('pg: comparison')]],
    ['select $1::text as password', [plant('pg: alias')]],
    ['insert into person values (default, $1, $2)', ['ada', plant('pg: insert without columns')]],
    [
      'insert into person (name, password) select * from unnest($1::text[], $2::text[])',
      ['{ada}', `{${plant('pg: unnest')}}`],
    ],
    ['select md5($1)', [plant('pg: function')]],
    ["select jsonb_set('{}', '{a,password}', to_jsonb($1::text))", [plant('pg: JSON function')]],
    ["select jsonb_build_object('name', $1::text, 'password', $2::text)", ['ada', plant('pg: JSON object')]],
    [
      'with n(id, password) as (values ($1::text, $2::text)) select * from n',
      ['1', plant('pg: common table')],
    ],
    ["select set_config('app.password', $1, false)", [plant('pg: setting')]],
    [`select id from person where password = '${plant('pg: literal')}'`, []],
    [`create role nobody_${process.pid} login password '${plant('pg: role')}'`, []],
    [`do $$ begin raise exception 'token=${plant('pg: raised')}'; end $$`, []],
    [`insert into person (name, password) values ('ada', null, '${plant('pg: syntax error')}')`, []],
    ['insert into person (id, name, password) values (1, $1, $2)', ['ada', plant('pg: duplicate key')]],
    [
      'insert into person (id, name, password) values (1, $1, $2)',
      ['ada', plant('pg: duplicate key, again')],
    ],
  ];
}

function mariaDbWork(): (readonly [sql: string, values: readonly string[]])[] {
  return [
    ['select 1 from dual where ? = ? and ? = password', ['a', 'b', plant('mysql: reversed comparison')]],
    ['select ? as password', [plant('mysql: alias')]],
    [`select 1 where '${plant('mysql: literal')}' = password`, []],
    [`create user x@y identified by '${plant('mysql: identified by')}' frobnicate`, []],
    ['insert into nowhere.users values (default, ?, ?)', ['ada', plant('mysql: insert without columns')]],
    ['select aes_encrypt(?, ?)', [plant('mysql: function'), plant('mysql: key of a function')]],
  ];
}

function redisWork(): (readonly string[])[] {
  return [
    ['set', 'list', plant('redis: set')],
    ['lpush', 'list', plant('redis: wrong type')],
    ['auth', plant('redis: auth')],
    ['frobnicate', plant('redis: unknown command')],
    [
      'eval',
      `return redis.call('set', KEYS[1], '${plant('redis: script')}')`,
      '1',
      'k',
      plant('redis: argument'),
    ],
    ['eval', `syntax error '${plant('redis: broken script')}'`, '0'],
    ['config', 'set', 'requirepass', plant('redis: config'), 'x'],
    ['get', `session:${plant('redis: key')}`],
  ];
}

const forms = ['.md', '.har', '.curl', ''];

describe('secrets planted everywhere in an Express application with databases', () => {
  const seen: { location: string; text: string }[] = [];
  const tokens = new Set<string>();
  /** The contents of the records' tables. */
  let texts: readonly string[];

  before(async () => {
    const postgres = await findPostgres();
    const redis = await startRedis();
    const mariaDb = await findMariaDb();
    const pool = recordQueries(new pg.Pool({ connectionString: postgres.address }));
    const client = new Redis(redis.url, { lazyConnect: true, maxRetriesPerRequest: 1 });
    if (mariaDb !== undefined) recordQueries(mariaDb);
    await pool.query('create table person (id serial primary key, name text, password text)');
    const other = await listenOn(
      createServer((_request, response) => {
        response
          .setHeader('Content-Type', 'application/json')
          .setHeader('Set-Cookie', `sid=${plant('cookie of a call')}`);
        response.end(JSON.stringify({ access_token: plant('answer of a call') }));
      }),
    );
    const app = express();
    const run =
      (work: () => Promise<unknown>) => (_request: Request, response: Response, next: NextFunction) =>
        void work().then(() => response.json({ done: true }), next);
    const [onPostgres, onMariaDb, onRedis] = [postgresWork(), mariaDbWork(), redisWork()];
    app.use('/echo', express.json(), express.urlencoded({ extended: true }), express.text({ type: '*/*' }));
    app.use(['/throw', '/log'], express.text({ type: '*/*' }));
    app.all(['/echo', '/echo/:id'], (_request, response) => void response.send('ok'));
    app.get('/reset/:token', (request, response) => {
      if ('fail' in request.query) throw new Error('failed');
      response.send('ok');
    });
    app.post('/throw', (request) => {
      throw Object.assign(new Error(String(request.body)), { detail: request.body, sql: request.body });
    });
    app.post('/log', (request, response) => {
      console.error(String(request.body));
      console.log('%s', request.body, { text: request.body, password: request.body });
      response.send('ok');
    });
    for (const [index, [sql, values]] of onPostgres.entries())
      app.get(
        `/pg/${index}`,
        run(() => pool.query(sql, [...values])),
      );
    for (const [index, [sql, values]] of onMariaDb.entries())
      app.get(
        `/mysql/${index}`,
        run(async () => mariaDb?.query(sql, [...values])),
      );
    for (const [index, [command = '', ...args]] of onRedis.entries())
      app.get(
        `/redis/${index}`,
        run(() => client.call(command, ...args)),
      );
    app.get('/table', (_request, response) => {
      console.table([{ user: 'ada', password: plant('console.table') }]);
      console.table({ password: plant('console.table of an object') });
      console.log('asked', { query: graphql, variables: { p: plant('GraphQL variable in a log context') } });
      response.send('ok');
    });
    app.get('/variables', () => {
      const query = graphql;
      const variables = { p: plant('GraphQL variable of a call') };
      const request = { query, variables };
      throw new Error(`refused with ${Object.keys(request).length} members`);
    });
    app.get('/command', () => {
      const secret = `--password=${plant('command')}`;
      execFileSync(
        process.execPath,
        ['-e', 'process.exit(3)', secret, '--token', plant('command, two words')],
        { stdio: 'pipe' },
      );
    });
    const url = `http://127.0.0.1:${other.port}`;
    const calls: readonly (readonly [string, RequestInit])[] = [
      [`/?api_key=${plant('query of a call')}`, {}],
      [`/services/T0A/B0B/${plant('webhook')}`, { method: 'POST', body: '{}' }],
      [`/bot1234:${plant('bot')}/getMe`, {}],
      [
        '/',
        { headers: { Authorization: `Token ${plant('header of a call')}`, DPoP: plant('DPoP of a call') } },
      ],
      [
        '/',
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'password', value: plant('body of a call') }),
        },
      ],
      [
        '/graphql',
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ query: graphql, variables: { p: plant('GraphQL variable of a fetch') } }),
        },
      ],
    ];
    for (const [index, [path, init]] of calls.entries())
      app.get(
        `/call/${index}`,
        run(async () => (await fetch(url + path, init)).text()),
      );
    const server = createServer(app);
    const attached = attach(server, { store: `${postgres.address}?schema=kept` });
    const { port, close } = await listenOn(server, () => attached.close());
    const origin = `http://127.0.0.1:${port}`;
    const get = (path: string): Send => ({ path, init: {} });
    const sends = [
      ...inHeaders(),
      // The framework's test plants every name; this one covers only the body parsers.
      ...inUrls(5),
      ...inBodies(5),
      ...inErrorsAndLogs(),
      get('/command'),
      get('/table'),
      get('/variables'),
      ...onPostgres.map((_, index) => get(`/pg/${index}`)),
      ...(mariaDb === undefined ? [] : onMariaDb.map((_, index) => get(`/mysql/${index}`))),
      ...onRedis.map((_, index) => get(`/redis/${index}`)),
      ...calls.map((_, index) => get(`/call/${index}`)),
    ];
    const silenced = [console.error, console.log] as const;
    for (const [index, { path, init }] of sends.entries()) {
      if (path === '/log' || path === '/table') console.error = console.log = () => undefined;
      const response = await fetch(origin + path, { redirect: 'manual', ...init });
      [console.error, console.log] = silenced;
      await response.arrayBuffer();
      const token = response.headers.get('x-debug-token') ?? '';
      assert.notEqual(token, '', path);
      tokens.add(token);
      // Requests each format only for some records, because rendering one costs more than the request.
      for (const form of ['.json', forms[index % forms.length] ?? '']) {
        const shown = await fetch(`${origin}/_profiler/${token}${form}`);
        seen.push({ location: `${path} ${form}`, text: await shown.text() });
      }
    }
    seen.push({ location: 'list', text: await (await fetch(`${origin}/_profiler/`)).text() });
    await close();
    await other.close();
    client.disconnect();
    await Promise.all([pool.end(), mariaDb?.end()]);
    const tables = await postgres.query("select tablename from pg_tables where schemaname = 'kept'");
    const rows = await Promise.all(
      tables.map(({ tablename }) => postgres.query(`select * from kept."${String(tablename)}"`)),
    );
    texts = textsOf(rows.flat());
    await postgres.stop();
    await redis.stop();
  });

  it('are in no page, no JSON, no Markdown, no archive and no command', () => {
    assert.ok(planted.length > 150 && seen.length > planted.length);
    const suspects = seen.filter(({ text }) => mayHoldSecret(text));
    const found = planted
      .filter(({ canary }) => suspects.some(({ text }) => text.includes(canary)))
      .map(({ canary, location }) => {
        const [, around = ''] = seen
          .map(({ text }) => new RegExp(`.{0,80}${canary}.{0,40}`).exec(text)?.[0])
          .filter((one) => one !== undefined);
        return { place: location, around };
      });
    assert.deepEqual(found, [], `${found.length} of ${planted.length}`);
  });

  it('are in no row of the store, nor in its compressed documents', () => {
    const stored = tokensIn(texts);
    assert.deepEqual(
      [...tokens].filter((token) => !stored.has(token)),
      [],
    );
    const suspects = texts.filter(mayHoldSecret);
    assert.deepEqual(
      planted.filter(({ canary }) => suspects.some((text) => text.includes(canary))),
      [],
    );
  });
});
