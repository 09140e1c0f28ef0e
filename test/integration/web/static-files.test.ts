import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createApp, HttpRequest } from 'lookback';
import { download, staticFiles } from 'lookback/web';
import { overTransports } from './over-transports.js';
import { until, untilStill } from '../../until.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-static-'));
const site = join(folder, 'site');
const large = Buffer.from(Array.from({ length: 400_000 }, (_, at) => (at * 7 + (at >> 8)) % 251));
const script = 'console.log("hello");\n'.repeat(200);
const changed = new Date('2026-01-02T03:04:05Z');

before(() => {
  mkdirSync(join(site, 'sub'), { recursive: true });
  mkdirSync(join(site, 'empty'));
  const files: [name: string, content: string | Uint8Array][] = [
    ['index.html', '<h1>site</h1>'],
    ['sub/index.html', '<h1>sub</h1>'],
    ['large.bin', large],
    ['nothing.txt', ''],
    ['app.3f2a9c1b.js', script],
    ['plain.css', 'a { color: red }'],
    ['ünï côdé.txt', 'unicode'],
    ['.env', 'SECRET=1'],
    ['../outside.txt', 'KEPT-APART'],
  ];
  for (const [name, content] of files) {
    writeFileSync(join(site, name), content);
    utimesSync(join(site, name), changed, changed);
  }
  symlinkSync(join(folder, 'outside.txt'), join(site, 'link.txt'));
});
after(() => rmSync(folder, { recursive: true }));

overTransports(
  'static files',
  () => ({
    options: {
      extensions: [
        staticFiles(site),
        staticFiles(site, { path: '/assets', index: false, cacheControl: 'max-age=5' }),
        staticFiles(site, { path: '/named', immutable: (path) => path.endsWith('.css') }),
      ],
    },
    define: (app) => {
      app.get('/plain.css', () => 'a route is tried before a file');
      app.post('/index.html', () => 'posted');
      app.get('/save', ({ request }) =>
        download(request, join(site, 'large.bin'), { filename: 'größe.bin' }),
      );
      app.get('/bytes', ({ request }) =>
        download(request, new Uint8Array([1, 2, 3, 4]), { filename: 'a.txt', inline: true }),
      );
      app.get('/below', ({ request, query }) => download(request, query.get('name') ?? '', { root: site }));
      app.get('/streamed', ({ request }) =>
        download(
          request,
          (async function* () {
            yield 'a;b\n';
            yield '1;2\n';
          })(),
          { filename: 'export.csv' },
        ),
      );
    },
  }),
  (bench) => {
    it('are sent with their type, length, validators and a cache policy', async () => {
      const answer = await bench().ask('/');
      assert.deepEqual([answer.status, answer.text], [200, '<h1>site</h1>']);
      assert.equal(answer.field('content-type'), 'text/html; charset=utf-8');
      assert.equal(answer.field('content-length'), '13');
      assert.equal(answer.field('cache-control'), 'no-cache');
      assert.equal(answer.field('last-modified'), 'Fri, 02 Jan 2026 03:04:05 GMT');
      assert.match(answer.field('etag') ?? '', /^"[a-z0-9-]+"$/);
      assert.equal(answer.field('x-content-type-options'), 'nosniff');
      assert.equal((await bench().ask('/assets/index.html')).field('cache-control'), 'max-age=5');
      assert.equal((await bench().ask('/app.3f2a9c1b.js')).field('cache-control'), 'no-cache');
      const named = async (path: string): Promise<string | undefined> =>
        (await bench().ask(path)).field('cache-control');
      assert.equal(await named('/named/plain.css'), 'public, max-age=31536000, immutable');
      assert.equal(await named('/named/app.3f2a9c1b.js'), 'no-cache');
      assert.equal((await bench().ask(`/${encodeURIComponent('ünï côdé.txt')}`)).text, 'unicode');
      const nothing = await bench().ask('/nothing.txt');
      assert.deepEqual([nothing.status, nothing.text, nothing.field('content-length')], [200, '', '0']);
    });

    it('HEAD has the same header fields and no body', async () => {
      const head = await bench().ask('/large.bin', { method: 'HEAD' });
      const get = await bench().ask('/large.bin');
      for (const name of [
        'content-type',
        'etag',
        'last-modified',
        'cache-control',
        'x-content-type-options',
      ]) {
        assert.notEqual(get.field(name), undefined, name);
        assert.equal(head.field(name), get.field(name), name);
      }
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      assert.equal(head.field('content-length'), String(large.length));
      assert.equal(head.field('accept-ranges'), 'bytes');
    });

    it('a client that has the file gets 304', async () => {
      const { field } = await bench().ask('/large.bin', { method: 'HEAD' });
      const etag = field('etag') ?? '';
      for (const headers of [
        { 'if-none-match': etag },
        { 'if-modified-since': field('last-modified') ?? '' },
      ]) {
        const kept = await bench().ask('/large.bin', { headers });
        assert.deepEqual([kept.status, kept.bytes.length], [304, 0]);
        assert.equal(kept.field('etag'), etag);
        assert.equal(kept.field('cache-control'), 'no-cache');
      }
      assert.equal((await bench().ask('/large.bin', { headers: { 'if-none-match': '"x"' } })).status, 200);
    });

    it('a range is sent as 206, one beyond the end is 416, several get the whole file', async () => {
      const part = await bench().ask('/large.bin', { headers: { range: 'bytes=100000-199999' } });
      assert.equal(part.status, 206);
      assert.equal(part.field('content-range'), `bytes 100000-199999/${large.length}`);
      assert.ok(part.bytes.equals(large.subarray(100_000, 200_000)));
      const end = await bench().ask('/large.bin', { headers: { range: 'bytes=-10' } });
      assert.ok(end.bytes.equals(large.subarray(-10)));
      const beyond = await bench().ask('/large.bin', {
        headers: { range: 'bytes=400000-', accept: 'application/json' },
      });
      assert.equal(beyond.status, 416);
      assert.equal(beyond.field('content-range'), `bytes */${large.length}`);
      assert.equal(beyond.field('content-type'), 'application/problem+json');
      const several = await bench().ask('/large.bin', { headers: { range: 'bytes=0-1,5-6' } });
      assert.equal(several.status, 200);
      assert.ok(several.bytes.equals(large));
    });

    it('If-Range gets the part only if the file is the same', async () => {
      const { field } = await bench().ask('/large.bin', { method: 'HEAD' });
      const same = { range: 'bytes=0-9', 'if-range': field('etag') ?? '' };
      assert.equal((await bench().ask('/large.bin', { headers: same })).status, 206);
      const other = { range: 'bytes=0-9', 'if-range': '"other"' };
      assert.equal((await bench().ask('/large.bin', { headers: other })).status, 200);
    });

    it('a resumed download of a changed file is refused, and never mixes two files', async () => {
      for (const path of ['/large.bin', '/save']) {
        const { field } = await bench().ask(path, { method: 'HEAD' });
        const etag = field('etag') ?? '';
        const statusOf = async (headers: Record<string, string>, method = 'GET'): Promise<number> =>
          (await bench().ask(path, { method, headers: { range: 'bytes=5-9', ...headers } })).status;
        assert.equal(await statusOf({ 'if-match': etag }), 206);
        assert.equal(await statusOf({ 'if-match': `"other", ${etag}` }), 206);
        assert.equal(await statusOf({ 'if-match': '*' }), 206);
        assert.equal(await statusOf({ 'if-unmodified-since': field('last-modified') ?? '' }), 206);
        assert.equal(await statusOf({ 'if-unmodified-since': 'no date' }), 206);
        const earlier = { 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' };
        for (const method of ['GET', 'HEAD']) {
          assert.equal(await statusOf({ 'if-match': '"other"' }, method), 412);
          assert.equal(await statusOf({ 'if-match': `W/${etag}` }, method), 412);
          assert.equal(await statusOf({ 'if-match': '"other"', 'if-none-match': etag }, method), 412);
          assert.equal(await statusOf(earlier, method), 412);
        }
        assert.equal(
          await statusOf({ ...earlier, 'if-match': etag }),
          206,
          'If-Match overrides the other conditions',
        );
        assert.equal(await statusOf({ 'if-match': '"other"', range: 'bytes=999999-' }), 412);
      }
    });

    it('a suffix range of an empty file is the empty file, and any other range is unsatisfiable', async () => {
      const ask = async (range: string): Promise<readonly [number, string]> => {
        const { status, text } = await bench().ask('/nothing.txt', { headers: { range } });
        return [status, status === 200 ? text : ''];
      };
      assert.deepEqual(await ask('bytes=-1'), [200, '']);
      assert.deepEqual(await ask('bytes=-1000'), [200, '']);
      assert.deepEqual(await ask('bytes=0-'), [416, '']);
      assert.deepEqual(await ask('bytes=-0'), [416, '']);
    });

    it('a folder has a trailing slash, and an index page or a 404', async () => {
      const bare = await bench().ask('/sub?a=1');
      assert.deepEqual([bare.status, bare.field('location')], [301, '/sub/?a=1']);
      const root = await bench().ask('/named?a=1');
      assert.deepEqual([root.status, root.field('location')], [301, '/named/?a=1']);
      assert.equal((await bench().ask('/sub/')).text, '<h1>sub</h1>');
      for (const path of [
        '/empty',
        '/empty/',
        '/assets',
        '/namedX',
        '/assets/',
        '/assets/sub',
        '/assets/sub/',
      ])
        assert.equal((await bench().ask(path)).status, 404, path);
    });

    it('hidden files and files outside the folder are not found', async () => {
      const paths = [
        '/.env',
        '/%2eenv',
        '/link.txt',
        '/..%2foutside.txt',
        '/sub/..%2f..%2foutside.txt',
        '/%2e%2e%5coutside.txt',
        '/assets/../.env',
      ];
      for (const path of paths) {
        const answer = await bench().ask(path, { headers: { Accept: 'application/json' } });
        assert.equal(answer.status, 404, path);
        assert.equal(answer.field('content-type'), 'application/problem+json', path);
      }
    });

    it('routes come first, and files answer only GET and HEAD', async () => {
      assert.equal((await bench().ask('/plain.css')).text, 'a route is tried before a file');
      assert.equal((await bench().ask('/index.html', { method: 'POST' })).text, 'posted');
      assert.equal(
        (await bench().ask('/index.html')).text,
        '<h1>site</h1>',
        'a route with another method does not hide the file',
      );
      assert.equal((await bench().ask('/sub/index.html', { method: 'DELETE' })).status, 404);
    });

    it('a download has a name, and a file also ranges and conditions', async () => {
      const whole = await bench().ask('/save');
      assert.ok(whole.bytes.equals(large));
      assert.equal(
        whole.field('content-disposition'),
        `attachment; filename="gr__e.bin"; filename*=UTF-8''gr%C3%B6%C3%9Fe.bin`,
      );
      const part = await bench().ask('/save', { headers: { range: 'bytes=1-3' } });
      assert.deepEqual([part.status, part.bytes.length], [206, 3]);
      const bytes = await bench().ask('/bytes', { headers: { range: 'bytes=2-' } });
      assert.deepEqual([bytes.status, [...bytes.bytes]], [200, [1, 2, 3, 4]]);
      assert.equal(bytes.field('content-disposition'), 'inline; filename="a.txt"');
      assert.equal(bytes.field('content-type'), 'text/plain; charset=utf-8');
      const streamed = await bench().ask('/streamed', { headers: { range: 'bytes=1-2' } });
      assert.deepEqual([streamed.status, streamed.text], [200, 'a;b\n1;2\n']);
      assert.equal(streamed.field('content-type'), 'text/csv; charset=utf-8');
    });

    it('a file name from a request stays below its root', async () => {
      assert.equal((await bench().ask('/below?name=sub/index.html')).text, '<h1>sub</h1>');
      for (const name of ['../outside.txt', '.env', 'link.txt', '/etc/passwd', 'sub', ''])
        assert.equal((await bench().ask(`/below?name=${encodeURIComponent(name)}`)).status, 404, name);
    });

    it('a client that leaves, and HEAD, leave no file open', async () => {
      for (let round = 0; round < 5; round++) {
        const open = await bench().transport.open({ path: '/large.bin' });
        await open.chunks.next();
        open.leave();
        await bench().ask('/large.bin', { method: 'HEAD' });
      }
      await until(
        () => openFiles() === 0,
        () => `${openFiles()} files are still open`,
      );
    });
  },
);

/** The number of site files that this process has open, if the system reports it. */
function openFiles(): number {
  if (process.platform !== 'linux') return 0;
  const folderOfOpen = `/proc/${process.pid}/fd`;
  return readdirSync(folderOfOpen).filter((name) => {
    try {
      return readlinkSync(join(folderOfOpen, name)).endsWith('large.bin');
    } catch {
      return false; // closed meanwhile
    }
  }).length;
}

describe('static files', () => {
  it('a missing folder is refused at startup', () => {
    assert.throws(() => staticFiles(join(folder, 'nowhere')), { code: 'WEB_FOLDER_MISSING' });
    assert.throws(() => staticFiles(join(site, 'index.html')), { code: 'WEB_FOLDER_MISSING' });
  });

  it("are read at the client's pace", async () => {
    writeFileSync(join(site, 'huge.bin'), Buffer.alloc(64 * 1_048_576));
    const app = createApp({
      configuration: { profilerStore: 'off' },
      logHandlers: [],
      extensions: [staticFiles(site)],
    });
    const { port } = await app.listen({ port: 0 });
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.write('GET /huge.bin HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const before = process.memoryUsage().arrayBuffers;
    await untilStill(() => process.memoryUsage().arrayBuffers);
    assert.ok(process.memoryUsage().arrayBuffers - before < 24 * 1_048_576);
    socket.destroy();
    await app.close();
    rmSync(join(site, 'huge.bin'));
  });

  it('the record of a file does not mention a missing route', async () => {
    const app = createApp({
      configuration: { profilerStore: 'memory:', debug: true },
      logHandlers: [],
      extensions: [staticFiles(site)],
    });
    const peer = { address: '127.0.0.1' };
    const answer = await app.fetch('/index.html', { peer });
    const page = await app.fetch(`/_profiler/${answer.headers.get('x-debug-token')}.md`, { peer });
    const text = await page.text();
    assert.equal(page.status, 200);
    assert.doesNotMatch(text, /No route found/);
    await app.close();
  });
});

describe('the redirect to a folder', () => {
  it('stays on the site, even with backslashes and slashes that could lead to another one', async () => {
    const app = createApp({ extensions: [staticFiles(site), staticFiles(site, { path: '/a\\b' })] });
    const ask = async (target: string): Promise<readonly [number, string | undefined]> => {
      const peer = { address: '127.0.0.1', port: 1, encrypted: false };
      const request = { method: 'GET', target, rawHeaders: ['Host', 'localhost'], httpVersion: '1.1', peer };
      const { status, headers } = await app.handle(new HttpRequest(request));
      return [status, headers.get('location')];
    };
    assert.deepEqual(await ask('/a\\b/sub'), [301, '/a%5Cb/sub/']);
    for (const target of ['//sub', '/\\sub', '/\\/sub', '/%5Csub', '/%2Fsub', '/sub\\', '/./sub'])
      assert.deepEqual(await ask(target), [404, undefined], target);
    await app.close();
  });
});
