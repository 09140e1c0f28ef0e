import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import pg from 'pg';
import { HttpRequest } from '#core/http';
import { runInScope } from '#core/scope';
import { createProfiler, findingsOf, type ProfileRecord, type Recording, requestRecording } from '#profiler';
import {
  recordQueries,
  startInstrumentations,
  type StartedInstrumentations,
} from '#profiler/instrumentation';
import type { CacheSection } from '../../src/profiler/sections/cache/section.js';
import { startPostgres, type TestPostgres } from '../persistence/start-postgres.js';
import { startRedis, type TestRedis } from '../security/start-redis.js';
import { dbOf } from './recorder-bench.js';

describe('an operation that a request waits for', () => {
  let server: TestPostgres;
  let cacheServer: TestRedis;
  let instrumentations: StartedInstrumentations;
  let client: pg.Client;
  let cache: Redis;
  let waiting: Promise<unknown> = Promise.resolve();
  const profiler = createProfiler({ store: 'memory:' });
  before(async () => {
    instrumentations = startInstrumentations();
    [server, cacheServer] = await Promise.all([startPostgres(), startRedis()]);
    const connection = { host: '127.0.0.1', port: server.port, user: 'postgres', password: 'postgres' };
    client = recordQueries(new pg.Client({ ...connection, database: 'postgres' }));
    cache = new Redis(cacheServer.url);
    await Promise.all([client.connect(), cache.ping()]);
  });
  after(async () => {
    instrumentations.stop();
    await waiting;
    cache.disconnect();
    await Promise.all([client.end(), profiler.close()]);
    await Promise.all([server.stop(), cacheServer.stop()]);
  });

  /** Begins a request that sends a query and a command, neither of which ends soon. */
  function begin(): Recording {
    const request = new HttpRequest({
      method: 'GET',
      target: '/report',
      rawHeaders: [],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    const recording = profiler.begin(request);
    request.scope.set(requestRecording, recording);
    waiting = runInScope(request.scope, () =>
      Promise.all([client.query('select pg_sleep($1)', [0.4]), cache.blpop('nothing', 0.4)]),
    );
    return recording;
  }
  const read = async ({ token }: Recording): Promise<ProfileRecord> => {
    const found = await profiler.find(token);
    assert.ok(found.kind === 'found');
    return found.record;
  };
  const textsOf = (record: ProfileRecord): string[] => findingsOf(record).map(({ text }) => text);
  const finish = (recording: Recording, completed: boolean): void =>
    profiler.finish(recording, undefined, {
      status: completed ? 200 : 0,
      headers: [],
      bodyBytes: 0,
      completed,
    });
  const waitedFor = (what: string): RegExp =>
    new RegExp(`^Waited [\\d.]+ ms for ${what}, which had not ended, from .*in-flight\\.test\\.js:\\d+$`);

  it('is in its record while it runs, with its line', async () => {
    const recording = begin();
    await new Promise((done) => setTimeout(done, 60)); // so that the duration is not zero
    const record = await read(recording);
    const [query] = dbOf(record).queries;
    assert.ok(query !== undefined && query.durationMs >= 50 && query.isOpen === true, JSON.stringify(query));
    assert.deepEqual(
      [query.sql, query.rows, query.params[0]?.value.text],
      ['select pg_sleep($1)', null, '0.4'],
    );
    const { commands } = record.sections['cache'] as CacheSection; // the type that the collector stores
    assert.deepEqual(
      commands.map(({ command, isOpen }) => [command, isOpen]),
      [['BLPOP', true]],
    );
    const texts = textsOf(record);
    assert.ok(
      texts.some((text) => waitedFor('select pg_sleep\\(\\$1\\)').test(text)),
      texts.join('\n'),
    );
    assert.ok(
      texts.some((text) => waitedFor('BLPOP nothing 0\\.4').test(text)),
      texts.join('\n'),
    );
    await waiting;
    finish(recording, true);
    const ended = await read(recording);
    assert.deepEqual(
      dbOf(ended).queries.map(({ rows, isOpen }) => [rows, isOpen]),
      [[1, undefined]],
    );
    assert.deepEqual(
      textsOf(ended).filter((text) => /Waited|Not awaited/.test(text)),
      [],
    );
  });

  it('is in the record of a client that left, even once it has ended, and is not reported as not awaited', async () => {
    const recording = begin();
    await new Promise((done) => setTimeout(done, 60)); // so that the duration is not zero
    finish(recording, false);
    await waiting;
    const record = await read(recording);
    assert.deepEqual([record.state, dbOf(record).totals.queries], ['aborted', 1]);
    const texts = textsOf(record);
    assert.ok(
      texts.some((text) => waitedFor('select pg_sleep\\(\\$1\\)').test(text)),
      texts.join('\n'),
    );
    assert.deepEqual(
      texts.filter((text) => /Not awaited|controller/.test(text)),
      [],
    );
  });

  it('is reported once as not awaited if the response was complete', async () => {
    const recording = begin();
    finish(recording, true);
    await waiting;
    const texts = textsOf(await read(recording)).filter((text) => /awaited|[Ww]aited/.test(text));
    assert.deepEqual(
      texts.map((text) => text.replace(/from \S*(in-flight)/, 'from $1').replace(/:\d+$/, '')),
      [
        'Not awaited: select pg_sleep($1) had not ended when the response ended, from in-flight.test.js',
        'Not awaited: BLPOP nothing 0.4 had not ended when the response ended, from in-flight.test.js',
      ],
    );
  });
});
