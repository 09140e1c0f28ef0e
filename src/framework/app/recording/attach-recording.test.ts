import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpResponse, requestUser } from '#core/http';
import { queryParameter, withArguments } from '#framework/controller';
import { requestEvent, responseEvent } from '#framework/kernel';
import { findingsOf, type ProfileRecord } from '#profiler';
import type { AppOptions } from '../app-options.js';
import type { App } from '../app.js';
import { createApp } from '../create-app.js';

const local = { peer: { address: '127.0.0.1' } } as const;
const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

async function withApp(work: (app: App) => Promise<void>, options: Partial<AppOptions> = {}): Promise<void> {
  const configuration = {
    env: 'test',
    debug: true,
    profilerStore: 'memory:',
    ...options.configuration,
  } as const;
  const app = createApp({ logHandlers: [], ...options, configuration });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

/** Sends a request and returns its response and its record. */
async function recorded(
  app: App,
  path: string,
  init: RequestInit = {},
): Promise<{ answer: Response; text: string; record: ProfileRecord }> {
  const answer = await app.fetch(path, { ...init, ...local });
  const text = await answer.text();
  const found = await app.profiler?.find(answer.headers.get('x-debug-token') ?? '');
  assert.ok(found?.kind === 'found', `${path}: ${found?.kind}`);
  return { answer, text, record: found.record };
}

describe("a request's record", () => {
  it('has the route with its parameters and defaults, or the miss with the allowed methods', async () => {
    await withApp(async (app) => {
      app.get('/a/{id}', () => 'x', { name: 'a', defaults: { extra: 'default' } });
      const { record } = await recorded(app, '/a/7');
      assert.deepEqual([record.route?.name, record.route?.path, record.route?.allow], ['a', '/a/{id}', []]);
      assert.deepEqual(record.route?.parameters.map(({ name }) => name).toSorted(), ['extra', 'id']);
      const { record: again } = await recorded(app, '/a/8');
      assert.deepEqual(again.route?.parameters.length, 2);
      const { record: miss } = await recorded(app, '/b');
      assert.deepEqual([miss.route?.name, miss.route?.path, miss.route?.allow], [null, null, []]);
      const { record: refused } = await recorded(app, '/a/7', { method: 'POST' });
      assert.deepEqual([refused.route?.name, refused.route?.allow], [null, ['GET']]);
    });
  });

  it('has the controller with its arguments, and the user', async () => {
    await withApp(async (app) => {
      app.get(
        '/a',
        withArguments([queryParameter('page', { default: '1' })], function show(page: unknown) {
          return `page ${String(page)}`;
        }),
      );
      assert.equal((await recorded(app, '/a')).record.request.user, null);
      let fails = false;
      app.on(requestEvent, ({ request }) =>
        request.scope.set(requestUser, () => {
          if (fails) throw new Error('getter');
          return { identifier: 'ada', roles: [] };
        }),
      );
      const { record } = await recorded(app, '/a');
      assert.deepEqual([record.controller?.name, record.request.user], ['show', 'ada']);
      assert.deepEqual(
        record.controller?.arguments.map(({ name, value }) => [name, value.text]),
        [['page', '1']],
      );
      fails = true;
      assert.equal((await recorded(app, '/a')).record.request.user, null);
    });
  });

  it('has the sent text, bytes and streams, and why a stream failed', async () => {
    await withApp(async (app) => {
      const type = { headers: { 'Content-Type': 'text/plain' } };
      const bytes = Buffer.from('bytes');
      app.get('/text', () => 'text');
      app.get('/bytes', () => new HttpResponse(bytes, type));
      app.on(responseEvent, () => void setImmediate(() => bytes.fill(0)), { priority: -5000 });
      const stream = async function* (fails: boolean): AsyncGenerator<string | Uint8Array> {
        yield 'str';
        yield Buffer.from('eam');
        if (fails) throw new Error('disk');
      };
      app.get('/stream', () => HttpResponse.stream(stream(false), type));
      app.get('/fails', () => HttpResponse.stream(stream(true), type));
      for (const path of ['text', 'bytes', 'stream'])
        assert.equal((await recorded(app, `/${path}`)).record.response?.body?.content, path);
      const answer = await app.fetch('/fails', local);
      await assert.rejects(answer.text(), /disk/);
      const found = await app.profiler?.find(answer.headers.get('x-debug-token') ?? '');
      assert.ok(found?.kind === 'found');
      assert.deepEqual([found.record.exception?.message, found.record.response?.completed], ['disk', false]);
    });
  });

  it('has a body that the application did not read, unless it is too long or the client waits for 100 Continue', async () => {
    await withApp(async (app) => {
      app.post('/ignores', () => 'x');
      app.post('/reads', async ({ request }) => request.text());
      const post = async (
        path: string,
        body: string,
        headers: Record<string, string> = {},
      ): Promise<string | undefined> => {
        const init = { method: 'POST', body, headers: { 'Content-Type': 'text/plain', ...headers } };
        return (await recorded(app, path, init)).record.request.body?.content;
      };
      assert.deepEqual([await post('/ignores', 'body'), await post('/reads', 'body')], ['body', 'body']);
      assert.equal(await post('/ignores', 'body', { Expect: '100-continue' }), undefined);
      assert.equal(await post('/ignores', 'body', { 'Content-Length': '65537' }), undefined);
      assert.equal((await recorded(app, '/ignores', { method: 'POST' })).record.request.body, null);
    });
  });

  it('names promises in a result that were not awaited', async () => {
    await withApp(async (app) => {
      app.get('/', () => ({ user: Promise.resolve(1) }));
      app.get('/fine', () => ({ user: 1 }));
      assert.deepEqual((await recorded(app, '/')).record.sections['result'], { promises: ['user'] });
      assert.equal((await recorded(app, '/fine')).record.sections['result'], undefined);
    });
  });

  it('names the values that JSON outside debug rendered as {} or null', async () => {
    const configuration = { env: 'prod', debug: false, profilerStore: 'memory:' } as const;
    const app = createApp({ configuration, logHandlers: [] });
    app.get('/', () =>
      HttpResponse.json({ user: Promise.resolve(1), counts: new Map([['a', 1]]), mean: 0 / 0 }),
    );
    const response = await app.fetch('/', local);
    assert.equal(await response.text(), '{"user":{},"counts":{},"mean":null}');
    const found = await app.profiler?.find('latest');
    assert.ok(found?.kind === 'found');
    assert.deepEqual(
      findingsOf(found.record)
        .map(({ text }) => text)
        .filter((text) => text.includes('JSON')),
      [
        'JSON sent {} for a promise at .user: is an await missing?',
        'JSON sent {} for a Map at .counts',
        'JSON sent null for NaN at .mean',
      ],
    );
    await app.close();
  });

  it('is not created for paths that an extension excludes', async () => {
    await withApp(
      async (app) => {
        app.get('/quiet', () => 'x');
        app.get('/other', () => 'x');
        assert.equal((await app.fetch('/quiet', local)).headers.get('x-debug-token'), null);
        assert.notEqual((await app.fetch('/other', local)).headers.get('x-debug-token'), null);
      },
      { extensions: [{ name: 'own', unrecordedPaths: ['/quiet'] }] },
    );
  });
});

describe('the answer to a client that may see debug output', () => {
  it('names its record, and has the toolbar if it is a page', async () => {
    await withApp(async (app) => {
      app.get('/page', () => HttpResponse.html('<html><body>page</body></html>'));
      app.get('/text', () => '<html><body>page</body></html>');
      const page = await recorded(app, '/page', { headers: browser });
      assert.match(page.text, /page[^]*_profiler[^]*<\/body>/);
      assert.equal(
        page.answer.headers.get('x-debug-token-link'),
        `http://localhost/_profiler/${page.record.token}`,
      );
      assert.match(page.answer.headers.get('server-timing') ?? '', /\S/);
      assert.doesNotMatch((await recorded(app, '/text', { headers: browser })).text, /_profiler/);
      const stranger = await app.fetch('/page', { headers: browser, peer: { address: '203.0.113.9' } });
      assert.equal(stranger.headers.get('x-debug-token'), null);
      assert.doesNotMatch(await stranger.text(), /_profiler/);
    });
  });

  it('has no toolbar if the application disables it', async () => {
    for (const options of [{ profiler: { toolbar: false } }, { configuration: { toolbar: false } }])
      await withApp(async (app) => {
        app.get('/page', () => HttpResponse.html('<html><body>page</body></html>'));
        const { text, answer } = await recorded(app, '/page', { headers: browser });
        assert.doesNotMatch(text, /_profiler/);
        assert.notEqual(answer.headers.get('x-debug-token'), null);
      }, options);
  });

  it('exposes those fields to scripts from the listed origins, in addition to the fields already exposed', async () => {
    const configuration = { debugOrigins: ['http://localhost:5173'] };
    await withApp(
      async (app) => {
        app.get('/', () => 'x');
        app.get('/own', () => {
          const response = HttpResponse.text('x');
          response.headers.set('Access-Control-Expose-Headers', 'X-Own');
          return response;
        });
        const exposed = async (path: string, origin?: string): Promise<string | null> => {
          const headers = origin === undefined ? {} : { Origin: origin };
          return (await app.fetch(path, { headers, ...local })).headers.get('access-control-expose-headers');
        };
        const own = 'X-Debug-Token, X-Debug-Token-Link';
        assert.equal(await exposed('/', 'http://localhost:5173'), own);
        assert.equal(await exposed('/own', 'http://localhost:5173'), `X-Own, ${own}`);
        assert.deepEqual([await exposed('/'), await exposed('/', 'http://localhost:5174')], [null, null]);
      },
      { configuration },
    );
  });
});

describe('profiler pages', () => {
  it('look like any unknown path to clients without access', async () => {
    await withApp(async (app) => {
      assert.equal((await app.fetch('/_profiler/', local)).status, 200);
      assert.equal((await app.fetch('/_profiler/', { peer: { address: '203.0.113.9' } })).status, 404);
    });
    await withApp(async (app) => assert.equal((await app.fetch('/_profiler/', local)).status, 404), {
      configuration: { debug: false },
    });
  });
});

describe('the end of the recording', () => {
  it('logs how many records were made and their fate, and stops the instrumentations', async () => {
    const lines: string[] = [];
    let ended = 0;
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [{ handle: ({ message }) => void lines.push(message) }],
      extensions: [{ name: 'own', instrumentations: [() => () => void ended++] }],
    });
    app.get('/', () => 'x');
    await (await app.fetch('/', local)).text();
    await app.close();
    await app.close();
    assert.equal(ended, 1);
    assert.ok(
      lines.includes('Records: 1 made = 1 stored + 0 pruned + 0 dropped + 0 pending.'),
      lines.join('\n'),
    );
  });
});
