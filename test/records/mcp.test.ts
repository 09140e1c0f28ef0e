import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { createApp } from 'lookback';
import { createMcpController } from 'lookback/mcp';
import { parseQuery, replayRequest } from 'lookback/profiler';
import { createTestClient } from 'lookback/testing';
import { type McpClient, openMcpClient } from './mcp-client.js';
import { hostile, type RecordedApp, startRecordedApp } from './recorded-app.js';

const cli = resolve('dist/bundle/cli.js');

type Input = Record<string, unknown>;

/** A response's text and data, and whether the tool said that it failed. */
async function call(
  client: McpClient,
  name: string,
  input: Input = {},
): Promise<{ text: string; data: Record<string, unknown>; isError: boolean; bytes: number }> {
  const answer = await client.callTool({ name, arguments: input });
  const [first] = answer.content;
  assert.equal(first?.type, 'text');
  const data = (answer.structuredContent ?? {}) as Record<string, unknown>; // according to the tool's output schema, which the client checks
  const bytes = Buffer.byteLength(first.text) + Buffer.byteLength(JSON.stringify(data));
  return { text: first.text, data, isError: answer.isError === true, bytes };
}

const rowPattern = /^([0-9a-f]{6,12}) \d{4}-/gm;

describe('lookback mcp', () => {
  let recorded: RecordedApp;
  let client: McpClient;
  let failed = '';
  before(async () => {
    recorded = startRecordedApp();
    for (let at = 0; at < 60; at++) await recorded.client.get(`/shelves/${at}?password=hunter2`);
    await recorded.client.get('/calls');
    failed = (await recorded.client.get('/fails')).headers.get('x-debug-token') ?? '';
    await recorded.client.get('/fail');
    await recorded.app.profiler?.flush();
    client = await openMcpClient({
      command: process.execPath,
      args: [cli, 'mcp'],
      env: { PATH: process.env['PATH'] ?? '', PROFILER_STORE: recorded.store },
    });
  });
  after(async () => {
    await client.close();
    await recorded.close();
  });

  it('lists its tools in 8,000 bytes, only one of which sends requests', async () => {
    const { tools } = await client.listTools();
    const bytes = Buffer.byteLength(JSON.stringify({ tools }));
    assert.ok(bytes <= 8000, `${bytes} bytes`);
    assert.deepEqual(
      tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
      ['replay'],
    );
  });

  it('names the problem and shows it in two calls, each within 3,000 bytes', async () => {
    const problems = await call(client, 'problems');
    const [, token = ''] = /^1 error .* (\w+)$/m.exec(problems.text) ?? [];
    const shown = await call(client, 'show', { token });
    for (const { bytes } of [problems, shown]) assert.ok(bytes <= 3000, `${bytes} bytes`);
    assert.match(problems.text, /error 1x of 1 .* TypeError: The shelf fell down.*recorded-app\.ts:\d+/);
    assert.match(shown.text, /^- error error: /m);
    const whole = await call(client, 'show', { token: failed, budget: 8000 });
    for (const told of [/throw new TypeError/, /The ladder is gone/, /recorded-app\.ts:\d+/])
      assert.match(whole.text, told);
  });

  /** The tokens on all pages of a list. */
  async function readPages(limit: number, as: string): Promise<readonly string[]> {
    const seen: string[] = [];
    for (let cursor: unknown, page = 0; page < 60 && cursor !== null; page++) {
      const input = { query: 'path:/shelves', limit, as, ...(typeof cursor === 'string' ? { cursor } : {}) };
      const { text, data, bytes, isError } = await call(client, 'find', input);
      assert.equal(isError, false, text);
      assert.ok(bytes <= 3000, `${bytes} bytes`);
      const rows = (data['rows'] ?? []) as readonly { token: string }[]; // according to the schema
      seen.push(...[...text.matchAll(rowPattern)].map(([, token = '']) => token));
      seen.push(...rows.map(({ token }) => token));
      cursor = data['next'];
    }
    return seen;
  }

  it('find loses no row, whatever the limit: the cursor continues where the text ends', async () => {
    for (const limit of [7, 20, 60, 100])
      for (const as of ['text', 'data']) {
        const seen = await readPages(limit, as);
        assert.deepEqual([seen.length, new Set(seen).size], [60, 60], `limit ${limit}, ${as}`);
      }
  });

  it('says how a query was interpreted, and what is wrong with it', async () => {
    assert.match(
      (await call(client, 'find', { query: 'status>500' })).text,
      /Read as: the text “status>500”; 0 of 63/,
    );
    const wrong = await call(client, 'find', { query: 'statsu:5' });
    assert.deepEqual([wrong.isError, /Did you mean “status”/.test(wrong.text)], [true, true]);
  });

  it('accepts numbers as numbers or text, and names the allowed values for anything else', async () => {
    for (const limit of [3, '3']) assert.equal((await call(client, 'find', { limit })).data['shown'], 3);
    for (const [name, input, told] of [
      ['find', { limit: 0 }, /"limit" must be a whole number from 1 to 100/],
      ['find', { size: 3 }, /no parameter "size"\. Parameters of find: query, sort, limit/],
      ['logs', { level: 'loud' }, /"level" must be one of debug, info/],
      ['show', { parts: ['bodies'] }, /"parts" must be a list of summary, exchange/],
      ['compare', {}, /"token" is missing/],
    ] as const) {
      const { text, isError } = await call(client, name, input).catch((error: unknown) => ({
        text: String(error),
        isError: true,
      }));
      assert.deepEqual([isError, told.test(text)], [true, true], text);
    }
  });

  it('counts, and finds log lines and routes, as text and as data', async () => {
    const groups = { by: 'route', query: 'path:/shelves*' };
    assert.equal((await call(client, 'count', { ...groups, as: 'data' })).data['total'], 60);
    assert.match((await call(client, 'count', groups)).text, /^60 \| 0 \| get_shelves_name$/m);
    const warnings = { text: 'LADDER', level: 'warning' };
    assert.match((await call(client, 'logs', warnings)).text, /^[0-9a-f]{6,12} .* The ladder is gone/m);
    const rowsOf = async (name: string, input: Input): Promise<readonly Record<string, unknown>[]> =>
      (await call(client, name, { ...input, as: 'data' })).data['rows'] as readonly Record<string, unknown>[]; // according to the schema
    const [warned] = await rowsOf('logs', warnings);
    assert.deepEqual(
      [warned?.['token'], warned?.['level'], warned?.['message']],
      [failed, 'warning', 'The ladder is gone.'],
    );
    const route = (await rowsOf('routes', {})).find((row) => row['route'] === 'get_shelves_name');
    assert.equal(route?.['count'], 60);
    assert.match((await call(client, 'logs', { text: 'nobody wrote this' })).text, /There is none/);
    assert.match((await call(client, 'routes')).text, /shelves.* 60 0 [0-9a-f]+$/m);
  });

  it('marks recorded text as data, makes control characters visible, and reveals no secret', async () => {
    const { text } = await call(client, 'show', { token: failed });
    const [, mark = ''] = /---- begin ([0-9a-f]{12})\n/.exec(text) ?? [];
    assert.ok(text.endsWith(`\n---- end ${mark}`));
    for (const character of ['\u001B', '\u202E', '\u0007']) {
      assert.ok(hostile.includes(character));
      assert.ok(!text.includes(character));
    }
    assert.match(text, /⟨U\+202E⟩/);
    assert.doesNotMatch((await call(client, 'find', { query: 'path:/shelves' })).text, /hunter2/);
  });

  it('shows the calls of a request whose service did not respond, with their line', async () => {
    const { text } = await call(client, 'show', { query: 'path:/calls', budget: 6000 });
    assert.match(text, /^- warn failed-call: GET http:\/\/127\.0\.0\.1:2\/stock failed: /m);
    assert.match(text, /^## calls\n1\. GET http:\/\/127\.0\.0\.1:2\/stock → .*recorded-app\.[jt]s:\d+/m);
  });

  it('compares in the given order', async () => {
    const { rows } = (await recorded.app.profiler?.list({ limit: 70 })) ?? { rows: [] };
    const [newer, older] = [rows[10]?.token ?? '', rows[20]?.token ?? ''];
    for (const [token, other] of [
      [newer, older],
      [older, newer],
    ] as const) {
      const { text } = await call(client, 'compare', { token, with: other });
      assert.match(text, new RegExp(`^1\\. .*record ${token}\n2\\. .*record ${other}$`, 'm'));
      assert.doesNotMatch(text, /etag|x-debug-token|server-timing/i);
    }
    const lonely = await call(client, 'compare', { token: failed });
    assert.match(lonely.text, /^No earlier request to this route succeeded\./);
  });

  it('answers impossible requests with a reason', async () => {
    for (const tool of ['show', 'compare', 'replay']) {
      const { isError, text } = await call(client, tool, { token: 'abcdef123456' });
      assert.equal(isError, true, tool);
      assert.match(text, /^No record abcdef123456\./, tool);
    }
    const lost = await call(client, 'find', { cursor: 'nowhere' });
    assert.deepEqual([lost.isError, /follows the cursor/.test(lost.text)], [true, true]);
    const unsent = await call(client, 'replay', { token: failed });
    assert.match(unsent.text, /^It was not sent: http:\/\/localhost: .*ECONNREFUSED/);
  });
});

describe('lookback mcp started before its application', () => {
  it('finds the store once it exists, and lists other stores until then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookback-early-'));
    const store = `sqlite:${join(folder, 'var/profiler.db')}`;
    const client = await openMcpClient({
      command: process.execPath,
      args: [cli, 'mcp'],
      env: { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: folder },
      cwd: folder,
    });
    try {
      const early = await call(client, 'problems');
      assert.deepEqual(
        [early.isError, /No application has records for /.test(early.text)],
        [true, true],
        early.text,
      );
      const app = createApp({
        configuration: { env: 'dev', debug: true, profilerStore: store },
        logHandlers: [],
      });
      app.get('/', () => {
        throw new Error('It broke.');
      });
      await createTestClient(app).get('/');
      await app.profiler?.flush();
      assert.match((await call(client, 'problems')).text, /^1 error 1x of 1 .*It broke/m);
      assert.match((await call(client, 'applications')).text, /^\* lookback-early-\w+ .*1 records/m);
      await app.close();
    } finally {
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the MCP controller', () => {
  it('serves clients that the access guard accepts, replays safe requests, and is in no list', async () => {
    const recorded = startRecordedApp();
    const { app } = recorded;
    assert.ok(app.profiler !== undefined);
    const controller = createMcpController({ records: app.profiler });
    app.any('/_mcp', controller);
    const copies: string[] = [];
    const copy = createServer((request, response) => {
      copies.push(`${request.method} ${request.url}`);
      response.end('from the copy');
    }).listen(0, '127.0.0.1');
    await once(copy, 'listening');
    const { port } = copy.address() as AddressInfo;
    const replayTo = `http://127.0.0.1:${port}`;
    app.any('/_copy', createMcpController({ records: app.profiler, replayTo, write: true }));
    app.get('/endless', async function* () {
      for (;;) yield await nextTurn('x'.repeat(1000));
    });
    app.get('/cut', async function* () {
      yield 'first';
      await nextTurn();
      throw new Error('The cursor is lost.');
    });
    const server = await app.listen({ port: 0 });
    const origin = server.url;
    const client = await openMcpClient(new URL('/_mcp', origin));
    try {
      for (const [method, path] of [
        ['GET', '/shelves/red'],
        ['POST', '/books'],
      ] as const)
        await fetch(new URL(path, origin), { method });
      const doctor = await call(client, 'doctor');
      assert.match(doctor.text, /^ok loaded: .+/m, 'the report describes this process');
      const { text } = await call(client, 'find', { query: 'path:/shelves,/books' });
      const tokenOf = (method: string): string =>
        new RegExp(`^([0-9a-f]{6,12}) .* ${method} `, 'm').exec(text)?.[1] ?? '';
      const replayed = await call(client, 'replay', { token: tokenOf('GET') });
      assert.match(
        replayed.text,
        /^200, complete, .* \(was 200, complete, .*\)\nrecord [0-9a-f]{6,12}[\s\S]*red/m,
      );
      assert.doesNotMatch((await call(client, 'find')).text, /_mcp/);
      assert.match((await call(client, 'show', { token: 'latest' })).text, /200 GET .*\/shelves\/red/);
      const broken = await fetch(new URL('/cut', origin));
      await broken.text().catch(() => '');
      const again = await call(client, 'replay', { token: broken.headers.get('x-debug-token') ?? '' });
      assert.match(again.text, /^200, CUT OFF, .*\nerror: .*The cursor is lost/m);
      const refused = await call(client, 'replay', { token: tokenOf('POST') });
      assert.deepEqual([refused.isError, /only/.test(refused.text)], [true, true]);
      const elsewhere = await openMcpClient(new URL('/_copy', origin));
      const copied = await call(elsewhere, 'replay', { token: tokenOf('POST') });
      assert.match(copied.text, /^200, complete[\s\S]*from the copy/m);
      assert.deepEqual(copies, ['POST /books']);
      const found = await app.profiler.find(tokenOf('POST'));
      assert.ok(found.kind === 'found');
      const unsent = await replayRequest(found.record, { to: replayTo, mayWrite: false });
      assert.match(
        typeof unsent === 'string' ? unsent : assert.fail('it was sent'),
        /POST may change something: .*a server started as “lookback mcp --write”/,
      );
      assert.equal(copies.length, 1);
      // A target with another host is sent to the application.
      const socket = connect(Number(new URL(origin).port), '127.0.0.1');
      socket.end(`GET //127.0.0.1:${port}/stolen HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      await socket.toArray();
      const { rows } = await app.profiler.list({ where: parseQuery('url:stolen').where, limit: 1 });
      await call(client, 'replay', { token: rows[0]?.token ?? '' });
      assert.equal(copies.length, 1);
      await elsewhere.close();
      // An endless response is read only as far as it is shown.
      const endless = await fetch(new URL('/endless', origin));
      await endless.body?.cancel();
      const token = endless.headers.get('x-debug-token') ?? '';
      const cut = await call(client, 'replay', { token });
      assert.match(cut.text, /^200, [\s\S]*xxxx/m);
      const foreign = await fetch(new URL('/_mcp', origin), {
        method: 'POST',
        headers: { 'X-Forwarded-For': '203.0.113.1', 'Content-Type': 'application/json' },
        body: '{}',
      });
      assert.equal(foreign.status, 403);
    } finally {
      copy.close();
      await client.close();
      await recorded.close();
    }
  });
});
