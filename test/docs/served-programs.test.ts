import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type App, createApp } from 'lookback';
import { createLocale } from 'lookback/locale';
import { ask, field, openTransport, tlsFiles, transportNames } from '../integration/http/transports.js';
import type { Programs } from './write-programs.js';
import { writePrograms } from './write-programs.js';

/** Pages whose programs are served, or whose records are read, completed with code that the pages leave to the reader. */
const pages = [
  { name: 'readme', page: 'README.md', blocks: [0, 1] },
  { name: 'readme-routes', page: 'README.md', blocks: [1, 9] },
  {
    name: 'routing',
    page: 'docs/reference/routing.md',
    blocks: [0, 1],
    own: "import assert from 'node:assert/strict';",
    more: `
      const match = matchRoute(compiled, { method: 'GET', path: decodePath('/blog/2') });
      assert.ok(match.kind === 'match' && match.route.name === 'blog' && match.parameters['page'] === '2');
      assert.equal(generateUrl(compiled, 'blog', { page: 3 }), '/blog/3');`,
  },
  { name: 'persistence', page: 'docs/guides/persistence.md', more: 'export { createPersistence, orm };' },
  { name: 'attach', page: 'docs/start/attach.md' },
  { name: 'profiler', page: 'docs/guides/profiler.md' },
  { name: 'extend-profiler', page: 'docs/guides/extend-profiler.md' },
  { name: 'locale', page: 'docs/guides/locale.md' },
  { name: 'live', page: 'docs/guides/live.md', more: 'export { chat };' },
  { name: 'assistants', page: 'docs/guides/assistants.md' },
] as const;

/** Makes programs listen on a free port, and print it together with the requested one. */
const elsewhere = `
  import { Server } from 'node:net';
  const listen = Server.prototype.listen;
  Server.prototype.listen = function (wanted, ...rest) {
    this.once('listening', () => console.log('at', wanted?.port ?? wanted, this.address().port));
    return listen.call(this, typeof wanted === 'object' ? { ...wanted, port: 0 } : 0, ...rest);
  };
`;
const here = { peer: { address: '127.0.0.1' } };

describe('served programs on the pages', () => {
  let programs: Programs;
  const home = process.cwd();
  before(() => {
    process.env['PROFILER_STORE'] = 'memory:';
    programs = writePrograms(pages);
    writeFileSync(
      join(programs.folder, 'open-database.ts'),
      `export const open = async () => { const { createPersistence, orm } = await import('./persistence.js'); return createPersistence({ orm }); };`,
    );
    writeFileSync(join(programs.folder, 'elsewhere.mjs'), elsewhere);
    programs.compile();
    process.chdir(programs.folder); // the folder for a page's files
  });
  after(() => {
    process.chdir(home);
    programs.remove();
  });
  const load = async (name: string): Promise<unknown> =>
    import(pathToFileURL(join(programs.folder, `${name}.js`)).href);

  /** Runs a program that listens; `at` returns the actual address for a port in the program. */
  async function serving(
    name: string,
    ports: readonly number[],
    check: (at: (port: number) => string) => Promise<void>,
  ): Promise<void> {
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const child = spawn(process.execPath, ['--import', './elsewhere.mjs', `${name}.js`], { env });
    const real = new Map<number, string>();
    let said = '';
    try {
      await new Promise<void>((resolveStart, reject) => {
        child.once('exit', () => reject(new Error(said)));
        const hear = (chunk: Buffer): void => {
          said += chunk.toString();
          for (const [, wanted, port] of said.matchAll(/^at (\d+) (\d+)$/gm))
            real.set(Number(wanted), `http://127.0.0.1:${port}`);
          if (ports.every((port) => real.has(port))) resolveStart();
        };
        child.stdout.on('data', hear);
        child.stderr.on('data', hear);
      });
      await check((port) => real.get(port) ?? '');
    } finally {
      child.kill('SIGKILL');
    }
  }

  /** The record for a response from an application. */
  async function recordOf(app: App, path: string, form = 'md'): Promise<string> {
    const token = (await app.fetch(path, here)).headers.get('x-debug-token');
    return (await app.fetch(`/_profiler/${token}.${form}`, here)).text();
  }

  it('README.md: the first program names its record, and the others answer', async () => {
    await serving('readme', [8000], async (at) => {
      const response = await fetch(`${at(8000)}/hello/ada`);
      assert.deepEqual(await response.json(), { hello: 'ada' });
      const token = response.headers.get('x-debug-token');
      for (const form of ['.json', '.md', '?panel=logs']) {
        const record = await fetch(`${at(8000)}/_profiler/${token}${form}`);
        assert.equal(record.status, 200, form);
        assert.match(await record.text(), /A visitor is greeted\./, form);
      }
    });
    const { app } = (await load('readme-routes')) as { app: App }; // the test's own lines export it
    const text = async (path: string, init?: RequestInit): Promise<string> =>
      (await app.fetch(path, init)).text();
    assert.equal(await text('/articles/a'), 'a');
    assert.equal(await text('/articles/a/comments'), '[{"article":"a","text":"Good."}]');
    const body = new URLSearchParams({ title: 'B' });
    assert.equal(await text('/articles/7', { method: 'POST', body }), '{"id":7,"title":"B"}');
    assert.equal((await app.fetch('/articles/x', { method: 'POST', body })).status, 404);
    await app.close();
  });

  it('docs/reference/routing.md: the router alone', async () => {
    await load('routing');
  });

  it('docs/reference/routing.md: the options of routes', async () => {
    const { app } = (await load('routing/route-options')) as { app: App }; // exported by the page
    const answer = async (path: string, init?: RequestInit): Promise<readonly [number, string]> => {
      const response = await app.fetch(path, init);
      return [response.status, response.status === 404 ? '' : await response.text()];
    };
    assert.deepEqual(await answer('/blog'), [200, '{"page":1,"section":"news"}']);
    assert.deepEqual(await answer('/blog/2'), [200, '{"page":"2","section":"news"}']);
    assert.deepEqual(await answer('/blog/2', { headers: { 'User-Agent': 'Mobile' } }), [200, 'small']);
    assert.deepEqual(await answer('/blog/x'), [404, '']);
    assert.deepEqual(await answer('/export/2026.csv'), [200, 'year\n2026\n']);
    const { headers } = await app.fetch('/export/2026.csv');
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    const body = new URLSearchParams({ _method: 'DELETE' });
    assert.deepEqual(await answer('/books/7', { method: 'POST', body }), [200, 'deleted 7']);
    await app.close();
  });

  it('docs/guides/persistence.md: languages, slugs, versions, and missing translations', async () => {
    interface Version {
      readonly version: number;
      readonly action: string;
      readonly user: string;
    }
    const program = (await load('persistence')) as {
      readonly app: App;
      readonly article: { title: string };
      readonly languages: ReadonlyMap<string, unknown>;
      readonly versions: readonly Version[];
      readonly newest: Version;
    }; // exported by the page
    const { app, article, languages, versions, newest } = program;
    assert.deepEqual(
      [...languages],
      [
        ['en', { title: 'Books' }],
        ['fr', { title: 'Livres' }],
      ],
    );
    assert.equal(article.title, 'Books', 'back to the first version');
    assert.deepEqual(
      [newest.version, newest.action, newest.user],
      [versions[0]?.version, 'update', 'import'],
    );
    const titleAt = async (path: string): Promise<unknown> =>
      ((await (await app.fetch(path)).json()) as { title?: unknown }).title; // an article
    assert.equal(await titleAt('/en/articles/books'), 'Books');
    assert.equal(await titleAt('/fr/articles/books'), 'Livres');
    assert.equal((await app.fetch('/en/articles/nix')).status, 404);
    await app.close();
  });

  it('docs/start/attach.md: one server, Express, and an application in a server', async () => {
    await serving('attach/one-server', [3000], async (at) => {
      const attached = await fetch(at(3000));
      assert.deepEqual([await attached.text(), attached.headers.get('x-debug-token')?.length], ['Hello', 6]);
    });
    await serving('attach/in-a-server', [3001], async (at) => {
      assert.equal(await (await fetch(`${at(3001)}/hello`)).text(), 'Hello');
    });
    writeFileSync(
      join(programs.folder, 'express.js'),
      `import { app } from './attach/express-app.js'; app.listen(3003);`,
    );
    await serving('express', [3003], async (at) => {
      const response = await fetch(`${at(3003)}/users/7`);
      assert.equal(await response.text(), '{"id":"7"}');
      const record = await fetch(`${at(3003)}/_profiler/${response.headers.get('x-debug-token')}.md`);
      assert.match(await record.text(), /\/users\/:id[\s\S]*showUser/);
    });
  });

  it('docs/guides/profiler.md and docs/guides/extend-profiler.md: pins, samples, dumps, spans, budgets and sections', async (test) => {
    const printed: string[] = [];
    test.mock.method(console, 'log', (...words: unknown[]) => void printed.push(JSON.stringify(words)));
    for (const name of ['profiler/pin', 'profiler/sample']) await load(name);
    assert.match(
      printed.join('\n'),
      /The one that was paid twice[\s\S]*curl -H 'X-Lookback-Sample: [\w.=-]+' https:/,
    );
    await load('extend-profiler/budget');
    const [shop, app, flagged] = (await Promise.all(
      ['basket', 'report', 'flags'].map(
        async (name) => ((await load(`extend-profiler/${name}`)) as { app: App }).app, // exported by each
      ),
    )) as [App, App, App]; // one per name
    assert.match(await recordOf(shop, '/basket'), /Dumps[\s\S]*basket[\s\S]*tea/);
    assert.match(await recordOf(app, '/report', 'json'), /read rows[\s\S]*sum up/);
    const markdown = await recordOf(flagged, '/');
    assert.match(markdown, /## Feature flags[\s\S]*new-checkout/);
    const missed = (await flagged.fetch('/nix', here)).headers.get('x-debug-token');
    const empty = await (await flagged.fetch(`/_profiler/${missed}?panel=flags`, here)).text();
    assert.match(empty, /This request asked for no flag\./);
    const found = await flagged.fetch('/_profiler/search.json?q=flags.asked:%3E0', here);
    const list = (await found.json()) as { readonly rows: readonly { readonly collected: object }[] }; // as the page says
    assert.deepEqual(
      list.rows.map(({ collected }) => (collected as Record<string, number>)['flags.asked']), // numbers, by column
      [1],
    );
    await Promise.all([shop, app, flagged].map((each) => each.close()));
  });

  it('docs/guides/locale.md: each row of the negotiation table, and the redirect', async () => {
    const { app, catalogue } = (await load('locale')) as {
      readonly app: App;
      readonly catalogue: { text(name: string, values: object): string };
    }; // exported by the page
    assert.equal(catalogue.text('comments', { count: 2 }), '2 comments');
    const moved = await app.fetch('/articles/a?x=1', { headers: { 'Accept-Language': 'fr' } });
    assert.deepEqual([moved.status, moved.headers.get('location')], [302, '/fr/articles/a?x=1']);
    const french = await app.fetch('/fr/articles/a');
    assert.deepEqual([await french.text(), french.headers.get('content-language')], ['An article.', 'fr']);
    const site = createApp({ locale: createLocale({ enabled: ['en', 'fr', 'de', 'pt-BR'] }) });
    site.get('/', ({ locale }) => locale);
    const page = readFileSync(resolve(home, 'docs/guides/locale.md'), 'utf8');
    const table = page.split('\n\n').find((block) => block.startsWith('| enabled `en fr de pt-BR`')) ?? '';
    const rows = table.split('\n').slice(2);
    assert.ok(rows.length >= 8);
    for (const row of rows) {
      const [headers = '', chosen = ''] = row.split('|').slice(1);
      const expected = chosen.includes('default') ? 'en' : chosen.replaceAll('`', '').trim();
      for (const [, header = ''] of headers.matchAll(/`([^`]*)`/g)) {
        const answer = await site.fetch('/', { headers: { 'Accept-Language': header } });
        assert.deepEqual(
          [await answer.text(), answer.headers.get('content-language')],
          [expected, expected],
          row,
        );
      }
    }
    await Promise.all([app.close(), site.close()]);
  });

  for (const name of transportNames)
    it(`docs/guides/live.md over ${name}: events resume where they stopped, uploads go to the disk or are refused`, async () => {
      const isEncrypted = name === 'TLS' || name === 'HTTP/2';
      if (isEncrypted) Object.assign(process.env, { TLS_CERT: tlsFiles.cert, TLS_KEY: tlsFiles.key });
      const url = pathToFileURL(join(programs.folder, 'live.js')).href;
      const { app, chat } = (await import(`${url}?${encodeURIComponent(name)}`)) as { app: App; chat: App }; // exported by the page
      for (const variable of ['TLS_CERT', 'TLS_KEY']) delete process.env[variable];
      const transport = await openTransport(name, app);
      const clock = await ask(transport, { path: '/clock', headers: { 'last-event-id': '1' } });
      assert.equal(clock.body, 'retry: 3000\n\nid: 2\ndata: {"tick":2}\n\nid: 3\ndata: {"tick":3}\n\n');
      const post = async (type: string, size: number): Promise<readonly [number, string]> => {
        const part = `Content-Disposition: form-data; name="photo"; filename="../me.png"\r\nContent-Type: ${type}`;
        const body = `--cut\r\n${part}\r\n\r\n${'x'.repeat(size)}\r\n--cut--\r\n`;
        const headers = { 'content-type': 'multipart/form-data; boundary=cut', accept: 'application/json' };
        const answer = await ask(transport, { path: '/photos', method: 'POST', headers, body });
        assert.equal(field(answer, 'content-type')?.startsWith('application/'), true);
        return [answer.status, answer.status === 200 ? answer.body : ''];
      };
      const stored = '{"fields":[],"stored":[{"filename":"me.png","bytes":2000000}]}';
      const both = await Promise.all([post('image/png', 2_000_000), post('image/png', 2_000_000)]);
      assert.deepEqual(both, [
        [200, stored],
        [200, stored],
      ]);
      assert.deepEqual(await post('text/plain', 3), [415, '']);
      assert.deepEqual(await post('image/png', 21 * 1_048_576), [413, '']);
      const count = 2 * (transportNames.indexOf(name) + 1);
      assert.equal(readdirSync('var/uploads').length, count, 'refused uploads are removed');
      await transport.close();
      await Promise.all([app.close(), chat.close()]);
    });

  it('docs/guides/assistants.md: the records are served to this machine', async () => {
    const { app } = (await load('assistants')) as { app: App }; // exported by the page
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const answer = await app.fetch('/_mcp', { method: 'POST', headers, body, ...here });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /"serverInfo"/);
    assert.notEqual((await app.fetch('/_mcp', { method: 'POST', headers, body })).status, 200);
    await app.close();
  });
});
