import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { createApp } from '#framework/app';
import type { App } from '#framework/app';
import { createLogger, createStreamLogHandler } from '#core/log';
import { dumpValue, requestRecording } from '#profiler';
import { currentScope } from '#core/scope';
import { local } from '../local-peer.js';
import {
  graphql,
  inBodies,
  inErrorsAndLogs,
  inHeaders,
  inUrls,
  mayHoldSecret,
  plant,
  planted,
} from './canaries.js';
import { textsOf, tokensIn } from './stored-texts.js';

describe('secrets planted everywhere in a request', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-canaries-'));
  const lines: string[] = [];
  const seen: { location: string; text: string }[] = [];
  const tokens = new Set<string>();
  let app: App;

  before(async () => {
    const handler = createStreamLogHandler({ write: (line) => lines.push(line) }, { minLevel: 'debug' });
    app = createApp({
      configuration: { debug: true, profilerStore: `sqlite:${join(folder, 'records.db')}` },
      logHandlers: [handler],
    });
    const log = createLogger({ handlers: [handler] });
    app.any('/echo', async ({ request }) => {
      await request.bytes();
      return 'ok';
    });
    app.get('/echo/{id}', () => 'ok');
    app.get('/reset/{token}', ({ request }) => {
      if (request.query.has('fail')) throw new Error('failed');
      return 'ok';
    });
    // Values that a program passes directly to the recording: arguments, sections, columns of a statement.
    app.post('/own', () => {
      const own = currentScope()?.get(requestRecording);
      own?.controller({ name: 'c' }, [
        { password: plant('argument') },
        `Bearer ${plant('text as argument')}`,
      ]);
      own?.section('own', {
        queries: [{ sql: `set password = '${plant('statement in a section')}'` }],
        credentials: { user: plant('section') },
        fields: [{ field: 'password', data: plant('labelled value in a section') }],
        text: `user ada: password: ${plant('text in a section')}`,
        body: { query: graphql, variables: { p: plant('GraphQL variable in a section') } },
      });
      app.log.warning('spawned', {
        spawnargs: ['--password', plant('option in a log context')],
        command: { name: 'set', args: ['k', plant('command in a log context')] },
        query: graphql,
        variables: { p: plant('GraphQL variable in a log context') },
        change: { field: 'password', from: plant('changed value in a log context') },
        [`token=${plant('key in a log context')}`]: new Map([['apiKey', plant('map in a log context')]]),
      });
      channel('lookback:mail:message').publish({
        subject: `Your link http://localhost/password/link?user=ada&hash=${plant('link in a subject')}`,
        from: ['a@b.org'],
        to: ['ada@b.org'],
        text: `Open http://localhost/reset-password/1/${plant('link in the text of a mail')} now.`,
        html: `<a href="http://localhost/verify/email/12/${plant('link in the HTML of a mail')}">Verify</a>`,
        startedAt: performance.now(),
        durationMs: 1,
      });
      channel('lookback:persistence:query').publish({
        sql: "update t set data = json_set(data, '$.password', ?)",
        params: [plant('parameter of a JSON function')],
        durationMs: 1,
      });
      channel('lookback:persistence:query').publish({
        sql: 'update t set data = json_set(data, ?, ?)',
        params: ['$.password', plant('parameter behind a path')],
        durationMs: 1,
      });
      channel('lookback:persistence:query').publish({
        sql: 'with n(id, password) as (values (?, ?)) select * from n',
        params: [1, plant('parameter of a common table expression')],
        durationMs: 1,
      });
      dumpValue({ query: graphql, variables: new Map([['p', plant('GraphQL variable in a dump')]]) });
      return new Response(JSON.stringify({ name: 'token', value: plant('labelled value in an answer') }), {
        headers: {
          'Content-Type': 'application/json',
          'Set-Cookie': `sid=${plant('Set-Cookie')}; HttpOnly`,
          Location: `/next?access_token=${plant('Location')}`,
          'WWW-Authenticate': `Negotiate ${plant('WWW-Authenticate')}`,
        },
      });
    });
    app.post('/throw', async ({ request }) => {
      const text = await request.text();
      throw Object.assign(new Error(text, { cause: new TypeError(text) }), {
        detail: text,
        sql: text,
        params: [text],
      });
    });
    app.post('/log', async ({ request }) => {
      const text = await request.text();
      log.channel(text).warning(text, { text, error: new Error(text) });
      app.log.error(text, { text, nested: [{ text }] });
      return 'ok';
    });
    app.get('/form', () => {
      const html = `<!doctype html><form><input type="hidden" name="_csrf" value="${plant('hidden field')}"><input type=password value='${plant('password field')}'><meta name="csrf-token" content="${plant('meta')}"></form>`;
      return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    });
    const sends = [
      ...inHeaders(),
      ...inUrls(),
      ...inBodies(),
      ...inErrorsAndLogs(),
      { path: '/form', init: {} },
      { path: '/own', init: { method: 'POST' } },
    ];
    for (const [count, { path, init }] of sends.entries()) {
      const response = await app.fetch(`http://localhost${path}`, { ...init, ...local });
      await response.arrayBuffer();
      const token = response.headers.get('x-debug-token') ?? '';
      assert.notEqual(token, '', path);
      tokens.add(token);
      seen.push({ location: `${path} record`, text: JSON.stringify(await app.profiler?.find(token)) });
      // Requests each format only for some records, because rendering one costs more than the request.
      const forms = ['.json', '.md', '.har', '.curl', ''];
      for (const page of [`${token}${forms[count % forms.length] ?? ''}`]) {
        const shown = await app.fetch(`http://localhost/_profiler/${page}`, local);
        seen.push({ location: `${path} ${page}`, text: await shown.text() });
      }
    }
    seen.push({
      location: 'list',
      text: await (await app.fetch('http://localhost/_profiler/', local)).text(),
    });
    await app.close();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are in no record, no page, no JSON and no Markdown', () => {
    assert.ok(planted.length > 400 && seen.length > planted.length);
    const suspects = seen.filter(({ text }) => mayHoldSecret(text));
    const found = planted.filter(({ canary }) => suspects.some(({ text }) => text.includes(canary)));
    assert.deepEqual(found, [], `${found.length} of ${planted.length}`);
  });

  it("are not in base64 either, nor in the log's output", () => {
    const decoded = seen.flatMap(({ text }) =>
      [...text.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g)].map(([run]) => Buffer.from(run, 'base64')),
    );
    const found = planted.filter(
      ({ canary }) =>
        decoded.some((bytes) => bytes.includes(canary) || bytes.includes(Buffer.from(canary, 'utf16le'))) ||
        lines.some((line) => line.includes(canary)),
    );
    assert.deepEqual(found, []);
    assert.ok(lines.length > 20);
  });

  it('are in no byte of the store, nor in its compressed documents', () => {
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    assert.ok(bytes.some((one) => one.length > 10_000));
    const texts = textsOf(rowsOf(join(folder, 'records.db')));
    const stored = tokensIn(texts);
    assert.deepEqual(
      [...tokens].filter((token) => !stored.has(token)),
      [],
    );
    const suspects = [...bytes.map((one) => one.toString('latin1')), ...texts].filter(mayHoldSecret);
    assert.deepEqual(
      planted.filter(({ canary }) => suspects.some((text) => text.includes(canary))),
      [],
    );
  });
});

/** All rows in all tables of a SQLite file. */
function rowsOf(path: string): object[] {
  const database = new DatabaseSync(path);
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
    return tables.flatMap(({ name }) => database.prepare(`select * from "${String(name)}"`).all());
  } finally {
    database.close();
  }
}
