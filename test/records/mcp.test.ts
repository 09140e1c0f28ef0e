import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { createMcpController } from 'lookback/mcp';
import { parseQuery, replayRequest } from 'lookback/profiler';
import { type McpClient, openMcpClient } from './mcp-client.js';
import { hostile, type RecordedApp, startRecordedApp } from './recorded-app.js';

const cli = resolve('dist/bundle/cli.js');

/** Text and whether the tool said that it failed. */
async function call(
  client: McpClient,
  name: string,
  input: Record<string, string> = {},
): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [first] = content;
  assert.equal(first?.type, 'text');
  return { text: first.text, isError: isError === true };
}

describe('lookback mcp', () => {
  let recorded: RecordedApp;
  let client: McpClient;
  let failed = '';
  before(async () => {
    recorded = startRecordedApp();
    for (let at = 0; at < 30; at++) await recorded.client.get(`/shelves/${at}?password=hunter2`);
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

  it('finds a failing request and explains it in three calls', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
      ['replay_request'],
    );
    const found = await call(client, 'find_requests', { query: 'status:>=500' });
    const [token = ''] = /^[0-9a-f]{6,12}(?= .* 500 GET)/m.exec(found.text) ?? [];
    const explained = await call(client, 'explain_failure', { token });
    for (const told of [
      /error: TypeError: The shelf fell down/,
      /recorded-app\.ts:\d+/,
      /throw new TypeError/,
      /The ladder is gone/,
    ])
      assert.match(explained.text, told);
  });

  it('slow_routes, error_groups and count_requests answer in text and as data of their schema', async () => {
    const data = async (
      name: string,
      input: Record<string, string> = {},
    ): Promise<Record<string, unknown>> => {
      const { structuredContent, isError } = await client.callTool({ name, arguments: input });
      assert.notEqual(isError, true, name);
      return structuredContent as Record<string, unknown>; // of the tool's output schema, which the client checks
    };
    const { routes } = (await data('slow_routes')) as {
      routes: { route: string; count: number; p95: number }[];
    };
    assert.ok(routes.every(({ p95 }, at) => at === 0 || p95 <= (routes[at - 1]?.p95 ?? 0)));
    const shelves = routes.find(({ count }) => count === 30);
    assert.match(shelves?.route ?? '', /shelves/);
    const { errors } = (await data('error_groups')) as { errors: { error: string; message: string }[] };
    assert.ok(
      errors.some(({ error, message }) => error === 'TypeError' && message.includes('The shelf fell down')),
    );
    const counted = (await data('count_requests', { by: 'route', query: 'path:/shelves*' })) as {
      counts: { value: string; count: number }[];
      total: number;
    };
    assert.equal(counted.total, 30);
    assert.deepEqual(
      counted.counts.map(({ value, count }) => [value, count]),
      [[shelves?.route, 30]],
    );
    const { requests } = (await data('find_requests', { sort: 'durationMs', limit: '3' })) as {
      requests: { durationMs: number }[];
    };
    assert.equal(requests.length, 3);
    assert.ok((requests[0]?.durationMs ?? 0) >= (requests[2]?.durationMs ?? 0));
  });

  it('find_logs finds lines of several requests by text and level, with their tokens', async () => {
    const { text, isError } = await call(client, 'find_logs', { text: 'LADDER', level: 'warning' });
    assert.equal(isError, false);
    assert.match(text, /^[0-9a-f]{6,12} .* The ladder is gone/m);
    assert.equal((await call(client, 'find_logs', { level: 'loud' })).isError, true);
    assert.match((await call(client, 'find_logs', { text: 'nobody wrote this' })).text, /There is none/);
  });

  it('show_request shows the panels of a successful request', async () => {
    const found = await call(client, 'find_requests', { query: 'path:/shelves/7', limit: '1' });
    const [token = ''] = /^[0-9a-f]{6,12}/m.exec(found.text.split('\n')[2] ?? '') ?? [];
    const { text, isError } = await call(client, 'show_request', { token, panel: 'request' });
    assert.equal(isError, false, text);
    assert.match(text, /\/shelves\/7/);
    assert.equal((await call(client, 'find_requests', { limit: '0' })).isError, true);
  });

  it('marks what was recorded as data, makes control characters visible, and reveals no secret', async () => {
    const { text } = await call(client, 'explain_failure');
    const [, mark = ''] = /---- begin ([0-9a-f]{12})\n/.exec(text) ?? [];
    assert.ok(text.includes(`\n---- end ${mark}\n`));
    for (const character of ['\u001B', '\u202E', '\u0007']) {
      assert.ok(hostile.includes(character));
      assert.ok(!text.includes(character));
    }
    assert.match(text, /⟨U\+202E⟩/);
    const shelves = await call(client, 'find_requests', { query: 'path:/shelves' });
    assert.doesNotMatch(shelves.text, /hunter2/);
  });

  it('explains a failure by the service that did not answer, and names the line of what stands out', async () => {
    const { rows } = (await recorded.app.profiler?.list({ where: parseQuery('path:/calls').where })) ?? {
      rows: [],
    };
    const { text } = await call(client, 'explain_failure', { token: rows[0]?.token ?? '' });
    assert.match(text, /^- warn: GET http:\/\/127\.0\.0\.1:2\/stock failed: /m);
    assert.match(text, /^## HTTP client$[\s\S]*Called from: .*recorded-app\.ts:\d+/m);
  });

  it('bounds answers and goes on by a cursor', async () => {
    const first = await call(client, 'find_requests', { query: 'path:/shelves' });
    const [, cursor = ''] = /call again with cursor "([^"]+)"/.exec(first.text) ?? [];
    const second = await call(client, 'find_requests', { query: 'path:/shelves', cursor });
    const tokens = `${first.text}\n${second.text}`.match(/^[0-9a-f]{6,12}(?= \d{4}-)/gm) ?? [];
    assert.deepEqual([tokens.length, new Set(tokens).size], [30, 30]);
    assert.match(second.text, /This is the end\.$/);

    let [text, next] = ['', ''];
    for (let calls = 0; calls < 20; calls++) {
      const answer = await call(client, 'explain_failure', next === '' ? {} : { cursor: next });
      assert.ok(Buffer.byteLength(answer.text) < 6500);
      text += /---- begin \w+\n([\s\S]*)\n---- end/.exec(answer.text)?.[1] ?? '';
      next = /call again with cursor "([^"]+)"/.exec(answer.text)?.[1] ?? '';
      if (next === '') break;
    }
    assert.match(text, /^# 500 GET/);
  });

  it('compares two requests', async () => {
    const { rows } = (await recorded.app.profiler?.list({ limit: 4 })) ?? { rows: [] };
    const compared = await call(client, 'compare_requests', {
      first: rows[2]?.token ?? '',
      second: rows[3]?.token ?? '',
    });
    assert.match(compared.text, /# Comparison/);
  });

  it('answers what it cannot do with a reason', async () => {
    const query = await call(client, 'find_requests', { query: 'statsu:5' });
    assert.ok(query.isError);
    assert.match(query.text, /Did you mean “status”/);
    assert.ok((await call(client, 'explain_failure', { token: 'abcdef123456' })).isError);
    assert.ok((await call(client, 'replay_request', { token: 'abcdef123456' })).isError);
    const lost = await call(client, 'find_requests', { cursor: 'nowhere' });
    assert.deepEqual([lost.isError, /follows the cursor/.test(lost.text)], [true, true]);
    const lonely = await call(client, 'compare_requests', { first: failed });
    assert.match(lonely.text, /^No other request of this route succeeded\. /);
    const wrong = await call(client, 'compare_requests', { first: failed, second: 'abcdef123456' });
    assert.match(wrong.text, /^No record abcdef123456\. /);
    const unsent = await call(client, 'replay_request', { token: failed });
    assert.match(unsent.text, /^It was not sent: http:\/\/localhost: .*ECONNREFUSED/);
  });
});

describe('the MCP controller', () => {
  it('serves those whom the access guard lets through, and replays what is safe', async () => {
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
    const server = await app.listen({ port: 0 });
    const origin = server.url;
    const client = await openMcpClient(new URL('/_mcp', origin));
    try {
      for (const [method, path] of [
        ['GET', '/shelves/red'],
        ['POST', '/books'],
      ] as const)
        await fetch(new URL(path, origin), { method });
      const { text } = await call(client, 'find_requests', { query: 'path:/shelves,/books' });
      const tokenOf = (method: string): string =>
        new RegExp(`^([0-9a-f]{6,12}) .* ${method} `, 'm').exec(text)?.[1] ?? '';
      const replayed = await call(client, 'replay_request', { token: tokenOf('GET') });
      assert.match(replayed.text, /Status 200[\s\S]*New record: [0-9a-f]{6,12}[\s\S]*red/);
      const refused = await call(client, 'replay_request', { token: tokenOf('POST') });
      assert.deepEqual([refused.isError, /only/.test(refused.text)], [true, true]);
      const elsewhere = await openMcpClient(new URL('/_copy', origin));
      const copied = await call(elsewhere, 'replay_request', { token: tokenOf('POST') });
      assert.match(copied.text, /Status 200[\s\S]*from the copy/);
      assert.deepEqual(copies, ['POST /books']);
      const found = await app.profiler.find(tokenOf('POST'));
      assert.ok(found.kind === 'found');
      const unsent = await replayRequest(found.record, { to: replayTo, mayWrite: false });
      assert.match(
        typeof unsent === 'string' ? unsent : assert.fail('it was sent'),
        /POST may change something: .*a server started as “lookback mcp --write”/,
      );
      assert.equal(copies.length, 1);
      // A target that names another host is sent to the application.
      const socket = connect(Number(new URL(origin).port), '127.0.0.1');
      socket.end(`GET //127.0.0.1:${port}/stolen HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      await socket.toArray();
      const { rows } = await app.profiler.list({ limit: 1 });
      assert.match(rows[0]?.url ?? '', /stolen/);
      await call(client, 'replay_request', { token: rows[0]?.token ?? '' });
      assert.equal(copies.length, 1);
      await elsewhere.close();
      // An answer without an end is read as far as it is shown.
      const endless = await fetch(new URL('/endless', origin));
      await endless.body?.cancel();
      const token = endless.headers.get('x-debug-token') ?? '';
      const cut = await call(client, 'replay_request', { token });
      assert.match(cut.text, /Status 200[\s\S]*xxxx/);
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
