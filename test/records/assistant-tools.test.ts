import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { recordQueries } from 'lookback/instrumentation';
import { createMcpController } from 'lookback/mcp';
import { NotFoundError } from 'lookback';
import { type McpClient, openMcpClient } from './mcp-client.js';
import { type RecordedApp, startRecordedApp } from './recorded-app.js';

const cli = resolve('dist/bundle/cli.js');

/** The text between the markers in a response. */
function unframed(text: string): string {
  return /---- begin [0-9a-f]{12}\n([^]*)\n---- end /.exec(text)?.[1] ?? text;
}

describe("an assistant's tools", () => {
  let recorded: RecordedApp;
  let url = '';
  const tokens = new Map<string, string>();
  const clients = new Map<string, McpClient>();
  const database = recordQueries(new DatabaseSync(':memory:'));
  database.exec('create table books (id integer primary key, title text, shelf text)');
  database.exec("insert into books (title, shelf) values ('Tea', 'red'), ('Silk', 'blue')");

  before(async () => {
    recorded = startRecordedApp();
    const { app } = recorded;
    app.get('/books/{shelf}', ({ params }) => {
      const found = database.prepare('select * from books where shelf = ?').all(params.shelf);
      if (params.shelf === 'none') throw new NotFoundError('There is no such shelf.');
      return { found };
    });
    assert.ok(app.profiler !== undefined);
    app.any('/_mcp', createMcpController({ records: app.profiler, routes: app.routes }));
    ({ url } = await app.listen({ port: 0 }));
    for (const path of ['/books/red', '/books/blue', '/fails', '/books/none', '/nowhere'])
      tokens.set(path, (await fetch(url + path)).headers.get('x-debug-token') ?? '');
    await app.profiler.flush();
    clients.set(
      'standard input and output',
      await openMcpClient({
        command: process.execPath,
        args: [cli, 'mcp'],
        env: { PATH: process.env['PATH'] ?? '', PROFILER_STORE: recorded.store },
      }),
    );
    clients.set('HTTP', await openMcpClient(new URL('/_mcp', url)));
  });
  after(async () => {
    for (const client of clients.values()) await client.close();
    await recorded.close();
    database.close();
  });

  const token = (path: string): string => tokens.get(path) ?? assert.fail(path);
  const call = async (
    client: McpClient,
    name: string,
    input: Record<string, unknown> = {},
  ): Promise<{ text: string; data: Record<string, unknown>; isError: boolean }> => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
    const data = (structuredContent ?? {}) as Record<string, unknown>; // according to the tool's output schema
    return { text: unframed(content[0]?.text ?? ''), data, isError: isError === true };
  };
  const run = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((done) => {
      const env = { PATH: process.env['PATH'], PROFILER_STORE: recorded.store };
      execFile(process.execPath, [cli, ...args], { env }, (error, out, err) =>
        done({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });

  for (const transport of ['standard input and output', 'HTTP']) {
    const client = (): McpClient => clients.get(transport) ?? assert.fail(transport);

    it(`over ${transport}: two prompts say how to begin, and name existing tools`, async () => {
      const { prompts } = await client().listPrompts();
      assert.deepEqual(
        prompts.map(({ name, title }) => [name, title]),
        [
          ['why-slow', 'Why is this slow?'],
          ['why-failed', 'Why did this fail?'],
        ],
      );
      const tools = new Set((await client().listTools()).tools.map(({ name }) => name));
      for (const { name } of prompts) {
        const { messages } = await client().getPrompt({ name });
        const words = messages[0]?.content.text ?? '';
        const named = [...words.matchAll(/[Cc]all "(\w+)"|if [^"]*"(\w+)"/g)].map(([, a, b]) => a ?? b ?? '');
        assert.ok(named.length >= 2, words);
        for (const tool of named) assert.ok(tools.has(tool), tool);
      }
    });

    it(`over ${transport}: a record is a resource by its token`, async () => {
      const { resourceTemplates } = await client().listResourceTemplates();
      assert.deepEqual(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        ['lookback://{token}'],
      );
      const { contents } = await client().readResource({ uri: `lookback://${token('/fails')}` });
      assert.match(contents[0]?.text ?? '', /500 GET .*\/fails[^]*The shelf fell down/);
      const { contents: none } = await client().readResource({ uri: 'lookback://abcdef123456' });
      assert.match(none[0]?.text ?? '', /abcdef123456/);
    });

    it(`over ${transport}: show without a token chooses a failed request, and a refused one if asked`, async () => {
      assert.match(
        (await call(client(), 'show')).text,
        /^The newest request that failed\.\n500 GET .*\/fails$/m,
      );
      const { text } = await call(client(), 'show', { refused: true });
      assert.match(text, /^The newest request that failed or was refused\.\n404 GET .*\/nowhere$/m);
    });

    it(`over ${transport}: a query is explained by its database, including the missing index`, async () => {
      const { text, isError } = await call(client(), 'explain_query', { token: token('/books/red') });
      assert.equal(isError, false, text);
      assert.match(text, /^query 1 of 1, .*: select \* from books where shelf = \?$/m);
      assert.match(
        text,
        /^Reads the whole table books\. No index fits; an index on books\(shelf\) would help\.$/m,
      );
      assert.match(text, /^Plan:\nSCAN books$/m);
      const second = await call(client(), 'explain_query', { token: token('/books/red'), row: 2 });
      assert.deepEqual([second.isError, /has 1 queries/.test(second.text)], [true, true], second.text);
      const none = await call(client(), 'explain_query', { token: token('/fails') });
      assert.deepEqual([none.isError, /has no queries/.test(none.text)], [true, true], none.text);
    });

    it(`over ${transport}: routes have figures, including routes without requests`, async () => {
      const { text, data } = await call(client(), 'routes', { as: 'text' });
      assert.match(text, /^get_books_shelf \/books\/\{shelf\} .* 3 0 [0-9a-f]+$/m);
      assert.match(text, /^post_books \/books no request$/m);
      assert.doesNotMatch(text, /_profiler/);
      assert.match(
        text,
        transport === 'HTTP'
          ? /^Routes of the application\.$/m
          : /^Routes as \S+:\d+ declared them at [\dT:-]+\.$/m,
      );
      assert.equal(data['leftOut'], undefined);
      const table = await call(client(), 'routes', { as: 'data' });
      const rows = table.data['rows'] as { route: string | null; path: string | null; count: number }[]; // according to the schema
      assert.deepEqual(
        rows.find(({ route }) => route === 'get_books_shelf'),
        { ...rows.find(({ route }) => route === 'get_books_shelf'), path: '/books/{shelf}', count: 3 },
      );
      assert.match(
        (await call(client(), 'routes', { path: '/books/red' })).text,
        /^GET \/books\/red: .*\/books\/\{shelf\}/,
      );
    });

    it(`over ${transport}: compare has the page's text, with both records in the given order`, async () => {
      const [red, blue] = [token('/books/red'), token('/books/blue')];
      const page = await (await fetch(`${url}/_profiler/compare/${red}/${blue}?format=md`)).text();
      const { text } = await call(client(), 'compare', { token: blue, with: red, budget: 8000 });
      assert.match(text, new RegExp(`^1\\. later: .*record ${blue}\n2\\. earlier: .*record ${red}$`, 'm'));
      const body = text.slice(text.indexOf('\n## '));
      const words = page.replaceAll(/[\\`]/g, '').replaceAll(/\n{2,}/g, '\n');
      assert.match(body, /^## Differences in the request\n[^]*red.*blue/m);
      for (const line of body.split('\n').filter((one) => one !== '')) assert.ok(words.includes(line), line);
    });

    it(`over ${transport}: rows of watch and applications have the fields of their schemas`, async () => {
      const { tools } = await client().listTools();
      for (const [name, input] of [
        ['watch', { since: '1h', as: 'data', budget: 20_000 }],
        ['applications', { as: 'data' }],
      ] as const) {
        const fields = Object.keys(
          tools.find((tool) => tool.name === name)?.outputSchema?.properties?.rows?.items.properties ?? {},
        );
        const rows = (await call(client(), name, input)).data['rows'] as object[]; // according to the schema
        assert.ok(rows.length > 0);
        for (const row of rows) assert.deepEqual(Object.keys(row).toSorted(), fields.toSorted());
      }
    });
  }

  it('over HTTP, where routes are known, routes names the route that a path without requests would match', async () => {
    const client = clients.get('HTTP') ?? assert.fail();
    const { text } = await call(client, 'routes', { path: '/books', method: 'post' });
    assert.match(text, /^POST \/books: post_books \/books\n[^]*^post_books \/books match matches$/m);
    const { text: missed } = await call(client, 'routes', { path: '/bookz/red' });
    assert.match(missed, /^GET \/bookz\/red: not-found\nnear: .*\/books\/\{shelf\}/m);
  });

  it('find, compare and explain on the command line are the same tools with the same text', async () => {
    const client = clients.get('standard input and output') ?? assert.fail();
    const budget = 20_000;
    const [red, blue] = [token('/books/red'), token('/books/blue')];
    for (const [args, name, input] of [
      [['find', 'path:/books*', '--limit', '2'], 'find', { query: 'path:/books*', limit: 2 }],
      [['compare', blue, red], 'compare', { token: blue, with: red }],
      [['compare', blue], 'compare', { token: blue }],
      [['explain', red, '1'], 'explain_query', { token: red, row: 1 }],
    ] as const) {
      const { out, err, code } = await run(...args);
      assert.deepEqual([code, err], [0, ''], args.join(' '));
      const { text } = await call(client, name, { ...input, budget });
      assert.equal(out, `${text}\n`, args.join(' '));
    }
    const changes = JSON.parse((await run('compare', blue, red, '--json')).out) as Record<string, unknown>; // one line
    assert.deepEqual(Object.keys(changes), [
      'first',
      'second',
      'findingsOnlyInFirst',
      'findingsOnlyInSecond',
    ]);
    assert.equal((await run('find', '--json')).out.trim().split('\n').length, 5);
    const { code, err } = await run('compare');
    assert.deepEqual([code, /"token" is missing/.test(err)], [1, true], err);
  });
});
