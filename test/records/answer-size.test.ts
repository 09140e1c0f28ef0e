import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { recordQueries } from 'lookback/instrumentation';
import { createMcpController } from 'lookback/mcp';
import { type McpClient, openMcpClient } from './mcp-client.js';
import { type RecordedApp, startRecordedApp } from './recorded-app.js';

const cli = resolve('dist/bundle/cli.js');

/** Texts whose characters take two to four bytes each, and control characters, which are shown as six bytes or more. */
const long = 'Größenübermaß 🦄 Šílený 漢字 '.repeat(80);
const control = '\u0007\u202E'.repeat(200);
/** An unpaired surrogate, as in text that was cut: some assistants refuse a response that contains one. */
const half = '\uD83E';
const routes = 105;

/** Inputs for each tool; `TOKEN` is a request with everything, `OTHER` another one to its route. */
const inputs: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  applications: [{}],
  problems: [
    {},
    { limit: 100 },
    { query: `-"${long.slice(0, 900)}"` },
    { query: `status>${long.slice(0, 900)}` },
  ],
  show: [
    { token: 'TOKEN' },
    { query: 'path:/straße*' },
    {},
    { refused: true },
    {
      token: 'TOKEN',
      parts: ['request', 'routing', 'trace', 'db', 'calls', 'log', 'error', 'time', 'process'],
    },
  ],
  find: [
    {},
    { limit: 100 },
    { query: `-"${long.slice(0, 900)}"`, limit: 100 },
    { query: `nothing:${long.slice(0, 900)}` },
  ],
  compare: [{ token: 'TOKEN', with: 'OTHER' }, { token: 'OTHER' }, { token: 'OTHER', with: 'previous' }],
  replay: [{ token: 'TOKEN' }],
  watch: [{ since: '1h' }, { since: '1h', query: `-"${long.slice(0, 900)}"` }],
  logs: [{}, { limit: 100 }, { text: 'Ü', limit: 100 }, { query: `-"${long.slice(0, 900)}"`, limit: 100 }],
  count: [{}, { by: 'route' }, { by: 'user' }, { by: 'location' }],
  explain_query: [{ token: 'TOKEN' }],
  routes: [{}, { path: `/straße/${long}` }, { path: '/nirgends/ß' }],
  doctor: [{}],
};

describe('the size of tool responses', () => {
  let recorded: RecordedApp;
  const tokens = { TOKEN: '', OTHER: '' };
  const clients = new Map<string, McpClient>();
  const database = recordQueries(new DatabaseSync(':memory:'));
  const names = Array.from({ length: 25 }, (_, at) => `größe_${at}_🦄`);
  database.exec(`create table "straßen" (${names.map((name) => `"${name}" text`).join(', ')})`);
  const sql = `select ${names.map((name) => `"${name}" as "sehr_${name}"`).join(', ')} from "straßen" where ${names
    .map((name) => `"${name}" = ?`)
    .join(' or ')}`;
  const silent = createServer((_request, response) => response.writeHead(503).end('🦄'.repeat(500)));

  before(async () => {
    recorded = startRecordedApp();
    const { app } = recorded;
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // it listens on a port
    for (let at = 0; at < routes; at++) {
      const words = `Übergröße-${at}-🦄-${'ß'.repeat(60)}`;
      app.get(`/straße/${words}/{größe}`, async ({ log, params }) => {
        log.info(`Ünterwegs ${at} ${long}`, { länge: long, more: [long, control] });
        log.warning(`Überlast ${half} ${at} ${long} ${control}`, { half });
        if (at % 12 !== 3) return { ...params, ok: false, error: long };
        for (let times = 0; times < 12; times++)
          database.prepare(sql).all(...names.map(() => long.slice(0, 200)));
        for (let call = 0; call < 6; call++)
          await fetch(`http://127.0.0.1:${port}/${encodeURIComponent(`${long.slice(0, 300)}${call}`)}`);
        throw new TypeError(`Die Tür ${half} ${at} klemmt. ${long} ${control}`);
      });
    }
    assert.ok(app.profiler !== undefined);
    app.any('/_mcp', createMcpController({ records: app.profiler, routes: app.routes }));
    const { url } = await app.listen({ port: 0 });
    const ask = async (at: number, value: string): Promise<string> => {
      const path = `/straße/Übergröße-${at}-🦄-${'ß'.repeat(60)}/${value}`;
      const answer = await fetch(
        `${url}${encodeURI(path)}?${new URLSearchParams({ suche: long, at: String(at) })}`,
        {
          headers: {
            'accept-language': 'de-CH;q=0.9,'.repeat(20),
            cookie: `a=${encodeURIComponent(long.slice(0, 300))}`,
          },
        },
      );
      await answer.text();
      return answer.headers.get('x-debug-token') ?? '';
    };
    for (let at = 0; at < routes; at++) await ask(at, `${at}-${'ä'.repeat(80)}`);
    tokens.OTHER = await ask(3, 'ö'.repeat(90));
    tokens.TOKEN = await ask(3, 'ü'.repeat(90));
    await fetch(`${url}${encodeURI(`/nirgends/${long.slice(0, 200)}`)}`);
    await app.profiler.flush();

    // Stores of many applications, in a folder with a long name.
    const state = join(recorded.folder, `Zustand-${'ü'.repeat(100)}`);
    mkdirSync(join(state, 'lookback'), { recursive: true });
    const elsewhere = join(recorded.folder, 'elsewhere');
    mkdirSync(elsewhere);
    for (let at = 0; at < 30; at++) {
      const name = `${'an-application-'.repeat(2)}${at}-${String(at).padStart(12, '0')}.db`;
      copyFileSync(recorded.store.slice('sqlite:'.length), join(state, 'lookback', name));
    }
    const env = { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: state };
    const program = { command: process.execPath, args: [cli, 'mcp'] };
    clients.set(
      'stdio',
      await openMcpClient({ ...program, env: { ...env, PROFILER_STORE: recorded.store } }),
    );
    clients.set(
      'stdio in a folder without records',
      await openMcpClient({ ...program, env, cwd: elsewhere }),
    );
    clients.set('HTTP', await openMcpClient(new URL('/_mcp', url)));
  });
  after(async () => {
    for (const client of clients.values()) await client.close();
    await recorded.close();
    database.close();
    silent.close();
  });

  /** The size of a response: its text and its data together. */
  async function measure(
    client: McpClient,
    name: string,
    input: Record<string, unknown>,
  ): Promise<{ bytes: number; text: string; data: Record<string, unknown> }> {
    const { content, structuredContent } = await client.callTool({ name, arguments: input });
    const text = content.map((part) => part.text).join('');
    const data = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
    return {
      bytes: Buffer.byteLength(text) + Buffer.byteLength(data),
      text,
      data: (structuredContent ?? {}) as Record<string, unknown>, // according to the tool's output schema
    };
  }

  /** Each input for each tool, as text and as data, with the default budget and with others. */
  function questions(): { name: string; input: Record<string, unknown>; most: number }[] {
    const asData = (name: string): object[] =>
      ['show', 'replay', 'doctor'].includes(name) ? [] : [{ as: 'data' }];
    const all = Object.entries(inputs).flatMap(([name, given]) =>
      given.flatMap((one) => [{}, ...asData(name)].map((as) => ({ name, one, as }))),
    );
    return all.flatMap(({ name, one, as }) =>
      [undefined, 500].map((budget) => ({
        name,
        input: {
          ...one,
          ...('token' in one ? { token: tokens[one['token'] as 'TOKEN'] } : {}), // a key of `tokens`
          ...(one['with'] === 'OTHER' ? { with: tokens.OTHER } : {}),
          ...as,
          ...(budget === undefined ? {} : { budget }),
        },
        most: budget ?? 3000,
      })),
    );
  }

  for (const transport of ['stdio', 'stdio in a folder without records', 'HTTP'])
    it(`over ${transport}: every tool keeps within 3,000 bytes, and within a given budget, as text and as data`, async () => {
      const client = clients.get(transport) ?? assert.fail(transport);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name).toSorted(), Object.keys(inputs).toSorted());
      assert.ok(Buffer.byteLength(JSON.stringify(tools)) <= 8000);
      // HTTP calls the same tools, so each transport gets half of the questions; each half includes each tool, budget and form.
      const half = { stdio: [1, 2], HTTP: [0, 3] }[transport];
      const asked = questions().filter((_, index) => half === undefined || half.includes(index % 4));
      assert.equal(new Set(asked.map(({ name }) => name)).size, tools.length);
      for (const { name, input, most } of asked) {
        const { bytes, text, data } = await measure(client, name, input);
        const question = `${name} ${JSON.stringify(input).slice(0, 100)}`;
        assert.ok(bytes <= most, `${question}: ${bytes} of ${most} bytes\n${text}`);
        assert.ok(text.isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(data)), `${question}\n${text}`);
        // Without a row there is no cursor, because a client that follows it would lose the rows that did not fit.
        if (data['shown'] === 0) assert.equal(data['next'], undefined, `${question}\n${text}`);
      }
    });

  it('a command prints all rows, because it has no budget', () => {
    const rows = (...args: string[]): number => {
      const env = { PATH: process.env['PATH'], PROFILER_STORE: recorded.store };
      const { stdout, stderr } = spawnSync(process.execPath, [cli, ...args, '--limit', '100'], {
        env,
        encoding: 'utf8',
      });
      assert.equal(stderr, '');
      return stdout.trim().split('\n').length;
    };
    assert.deepEqual([rows('find', '--json'), rows('problems', '--json'), rows('find')], [100, 100, 102]);
  });

  for (const transport of ['stdio', 'HTTP'])
    it(`over ${transport}: a truncated list ends at a whole row, and says what it omitted and how to get it`, async () => {
      const client = clients.get(transport) ?? assert.fail(transport);
      for (const [name, input] of [
        ['problems', { limit: 100 }],
        ['find', { limit: 100 }],
        ['watch', { since: '1h' }],
        ['logs', { limit: 100 }],
        ['count', { by: 'route' }],
        ['routes', {}],
      ] as const) {
        const cut = await measure(client, name, input);
        assert.match(cut.text, /\(raise budget\)|cursor "/, `${name}: ${cut.text}`);
        const whole = await measure(client, name, { ...input, budget: 20_000 });
        const lines = new Set(whole.text.split('\n'));
        const [, listed = ''] = /---- begin [0-9a-f]{12}\n([^]*)\n---- end /.exec(cut.text) ?? [];
        const added = /^(?:Left out: |There is more: |A limit was reached|\d+ further )/;
        const shown = listed.split('\n').filter((line) => !added.test(line));
        assert.ok(shown.length > 1, name);
        for (const line of shown.slice(1)) assert.ok(lines.has(line), `${name}: ${line}`);
        const { data } = await measure(client, name, { ...input, as: 'data' });
        const rows = data['rows'] as readonly unknown[]; // according to the schema
        assert.ok(rows.length > 0, name);
        assert.equal(data['shown'], rows.length, name);
        assert.ok(data['leftOut'] !== undefined || typeof data['next'] === 'string', name);
      }
    });
});
