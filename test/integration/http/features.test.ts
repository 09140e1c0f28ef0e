import assert from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import {
  type App,
  type ControllerContext,
  createApp,
  currentScope,
  exceptionEvent,
  HttpResponse,
  type LogRecord,
  requestEvent,
  responseEvent,
  terminateEvent,
} from 'lookback';
import type { Transport } from './transports.js';
import { ask, field, openTransport, tlsFiles, transportNames } from './transports.js';
import { until } from '../../until.js';

/** The features to test, by name; each is tested over every transport. */
interface Bench {
  readonly app: App;
  readonly transport: Transport;
  readonly logged: LogRecord[];
  /** Values that the routes pass to the test. */
  readonly seen: Map<string, unknown>;
}

const sharedResponse = HttpResponse.text('for everybody');
const placedResponse = HttpResponse.text('in its place');

function addRoutes({ app, seen }: Pick<Bench, 'app' | 'seen'>): void {
  const give = (path: string, controller: (context: ControllerContext) => unknown): App =>
    app.any(path, controller, { name: path.slice(1) });
  give('/text', () => 'né');
  give('/later', async () => {
    await nextTurn();
    return { later: true };
  });
  give('/bytes', () => new Uint8Array([65, 66]));
  give('/nothing', () => HttpResponse.empty());
  give('/reset', () => new HttpResponse('body', { status: 205 }));
  give('/redirect', () => HttpResponse.redirect('/text'));
  give('/cookies', ({ request }) =>
    HttpResponse.text(request.cookies.get('who') ?? 'nobody')
      .setCookie('a', '1')
      .setCookie('b', '2'),
  );
  give('/throw', () => {
    throw new Error('thrown at once');
  });
  give('/reject', async () => {
    await nextTurn();
    throw new Error('thrown later');
  });
  give('/stream', () =>
    (async function* () {
      yield 'a';
      await nextTurn();
      yield new Uint8Array([98]);
    })(),
  );
  give('/scoped-stream', () => {
    const scope = currentScope();
    return (async function* () {
      for (let count = 0; count < 3; count++) {
        yield String(currentScope() === scope);
        await nextTurn();
      }
    })();
  });
  give('/web-stream', () => new Response('web', { status: 201, headers: { 'X-Web': '1' } }));
  give('/breaks', () =>
    (async function* () {
      yield 'a';
      await nextTurn();
      throw new Error('half-way');
    })(),
  );
  give('/events', ({ request }) => {
    const { signal } = request;
    const events = async function* (): AsyncGenerator<string> {
      try {
        yield 'data: 1\n\n';
        await sleep(60_000, undefined, { signal });
      } finally {
        seen.set('left', true);
      }
    };
    return HttpResponse.stream(events(), { headers: { 'Content-Type': 'text/event-stream' } });
  });
  give('/silent', ({ request }) =>
    HttpResponse.stream(
      (async function* () {
        await sleep(60_000, undefined, { signal: request.signal });
        yield '';
      })(),
    ),
  );
  give('/take', async ({ request }) => `${request.method} ${await request.text()}`);
  give('/take-stream', async ({ request }) => {
    let length = 0;
    for await (const chunk of request.body) length += chunk.byteLength;
    return { length };
  });
  give('/upload', async ({ request }) => {
    const form = await request.form();
    return form.files().map(({ filename, bytes }) => [filename, bytes.byteLength]);
  });
  give('/unread', () => 'not read');
  give('/constant', () => sharedResponse);
  give('/placed', () => 'replaced by a listener');
  give('/late-change', () => {
    const response = HttpResponse.text('as returned', { headers: { 'X-Late': 'no' } });
    setTimeout(() => {
      response.body = 'changed';
      response.headers.set('X-Late', 'yes');
    });
    return response;
  });
  give('/end-listener', () => 'sent');
  const wrong: Record<string, () => unknown> = {
    number: () => HttpResponse.stream(wrongChunks(5)),
    object: () => HttpResponse.stream(wrongChunks({ a: 1 })),
    null: () => HttpResponse.stream(wrongChunks(null)),
    'web-chunk': () => HttpResponse.fromWeb(new Response(webStreamOf(5))),
    'locked-stream': () => lockedStream(),
    throws: () => HttpResponse.stream(throwing()),
    body: () => new HttpResponse(5 as unknown as string), // JavaScript callers may pass it
    header: () => new HttpResponse('x', { headers: { 'X-A': 5 as unknown as string } }), // JavaScript callers may pass it
    status: () => new HttpResponse('x', { status: 99 }),
  };
  app.any('/wrong/{kind}', ({ params }) => wrong[params.kind]?.());
}

async function* wrongChunks(chunk: unknown): AsyncGenerator<string> {
  yield chunk as string; // JavaScript callers may pass it
}

async function* throwing(): AsyncGenerator<string> {
  await nextTurn();
  yield* [];
  throw new Error('before the first chunk');
}

function webStreamOf(chunk: unknown): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(chunk as Uint8Array); // JavaScript callers may pass it
      controller.close();
    },
  });
}

function lockedStream(): HttpResponse {
  const stream = webStreamOf(new Uint8Array(1));
  stream.getReader();
  return HttpResponse.stream(stream);
}

function addListeners({ app, seen }: Pick<Bench, 'app' | 'seen'>): void {
  app.on(requestEvent, ({ request }) => {
    seen.set('peer', request.peer.address);
  });
  app.on(responseEvent, async (event) => {
    await nextTurn();
    const who = event.request.headers.get('x-who');
    if (event.request.path === '/placed') event.response = placedResponse;
    if (who !== undefined) event.response.setCookie('who', who);
  });
  app.on(exceptionEvent, (event) => {
    if (event.request.path === '/reject') event.response = HttpResponse.text('caught', { status: 418 });
  });
  app.on(terminateEvent, async ({ request, response, sent }) => {
    seen.set(`sent ${request.path}`, sent);
    if (request.path !== '/end-listener') return;
    const failures = [
      () => response.setCookie('late', '1'),
      () => void (response.body = 'other'),
      () => void (sent.headers as string[]).push('x-late', '1'), // attempts to write anyway
    ].map((change) => {
      try {
        change();
        return 'changed';
      } catch {
        return 'refused';
      }
    });
    seen.set('end', failures);
  });
}

async function open(name: (typeof transportNames)[number]): Promise<Bench> {
  const logged: LogRecord[] = [];
  const app = createApp({
    configuration: {
      env: 'test',
      debug: true,
      profilerStore: 'memory:',
      tls: name === 'TLS' || name === 'HTTP/2' ? tlsFiles : undefined,
    },
    logHandlers: [{ handle: (record) => void logged.push(record) }],
  });
  const seen = new Map<string, unknown>();
  addRoutes({ app, seen });
  addListeners({ app, seen });
  return { app, logged, seen, transport: await openTransport(name, app) };
}

async function recordOf({ app }: Bench, token: string | undefined): Promise<ReturnType<typeof JSON.parse>> {
  await app.profiler?.flush();
  const found = await app.profiler?.find(token ?? '');
  assert.equal(found?.kind, 'found');
  return found?.kind === 'found' ? found.record : undefined;
}

const features: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'results of every kind': async ({ transport }) => {
    const bodies = {
      '/text': 'né',
      '/later': '{"later":true}',
      '/bytes': 'AB',
      '/web-stream': 'web',
      '/stream': 'ab',
    };
    for (const [path, body] of Object.entries(bodies)) {
      for (const method of ['GET', 'POST', 'HEAD']) {
        const answer = await ask(transport, { path, method });
        assert.equal(answer.status, path === '/web-stream' ? 201 : 200, path);
        assert.equal(answer.body, method === 'HEAD' ? '' : body, `${method} ${path}`);
        assert.ok(answer.isWhole);
      }
    }
    assert.deepEqual(
      [(await ask(transport, { path: '/nothing' })).status, (await ask(transport, { path: '/reset' })).body],
      [204, ''],
    );
    const redirect = await ask(transport, { path: '/redirect' });
    assert.deepEqual([redirect.status, field(redirect, 'location')], [302, '/text']);
  },
  'cookies, each a field of its own': async ({ transport }) => {
    const answer = await ask(transport, { path: '/cookies', headers: { cookie: 'x=1; who=ada' } });
    const set = answer.headers
      .filter(([name]) => name === 'set-cookie')
      .map(([, value]) => value.slice(0, 3));
    assert.deepEqual([answer.body, set.slice(0, 2)], ['ada', ['a=1', 'b=2']]);
  },
  'errors, synchronous and later, with their page or the answer of a listener': async ({
    transport,
    logged,
  }) => {
    const thrown = await ask(transport, { path: '/throw' });
    assert.equal(thrown.status, 500);
    assert.match(thrown.body, /thrown at once/);
    assert.ok(logged.some(({ message }) => message.includes('thrown at once')));
    assert.deepEqual((await ask(transport, { path: '/reject' })).body, 'caught');
    assert.equal((await ask(transport, { path: '/no/such/path' })).status, 404);
  },
  'a stream runs in the scope of its request': async ({ transport }) => {
    assert.equal((await ask(transport, { path: '/scoped-stream' })).body, 'truetruetrue');
  },
  'a stream that fails halfway is cut off and reported': async (bench) => {
    const answer = await ask(bench.transport, { path: '/breaks' });
    assert.deepEqual([answer.status, answer.body, answer.isWhole], [200, 'a', false]);
    const record = await recordOf(bench, field(answer, 'x-debug-token'));
    assert.match(JSON.stringify(record.exception), /half-way/);
  },
  'a result of a wrong type is answered with 500, and the connection stays open': async ({ transport }) => {
    const kinds = [
      'number',
      'object',
      'null',
      'web-chunk',
      'locked-stream',
      'throws',
      'body',
      'header',
      'status',
    ];
    for (const kind of kinds) {
      const answer = await ask(transport, { path: `/wrong/${kind}` });
      assert.deepEqual([kind, answer.status, answer.isWhole], [kind, 500, true]);
      assert.match(answer.body, /Internal Server Error/, 'answered like any other error');
    }
    assert.equal((await ask(transport, { path: '/text' })).body, 'né');
  },
  'a client that leaves an event stream is not an error': async ({ transport, seen, logged }) => {
    seen.delete('left');
    const before = logged.length;
    const { chunks, leave } = await transport.open({ path: '/events' });
    assert.equal(Buffer.from((await chunks.next()).value ?? []).toString(), 'data: 1\n\n');
    leave();
    await until(() => seen.get('left'));
    await until(() => seen.get('sent /events'));
    const errors = logged.slice(before).filter(({ level }) => level === 'error' || level === 'critical');
    assert.deepEqual(
      errors.map(({ message }) => message),
      [],
    );
  },
  'the head of a silent stream is sent': async ({ transport, seen }) => {
    const { status, leave } = await transport.open({ path: '/silent' });
    assert.equal(status, 200);
    leave();
    await until(() => seen.get('sent /silent'));
  },
  'bodies: read, streamed, uploaded, left unread': async ({ transport }) => {
    const body = 'x'.repeat(200_000);
    assert.equal((await ask(transport, { path: '/take', method: 'POST', body })).body, `POST ${body}`);
    assert.equal((await ask(transport, { path: '/take', method: 'POST', body: '' })).body, 'POST ');
    assert.equal(
      (await ask(transport, { path: '/take-stream', method: 'PUT', body })).body,
      '{"length":200000}',
    );
    const form = `--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nabc\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    assert.equal(
      (await ask(transport, { path: '/upload', method: 'POST', headers, body: form })).body,
      '[["a.txt",3]]',
    );
    assert.equal((await ask(transport, { path: '/unread', method: 'POST', body: 'abc' })).body, 'not read');
  },
  'a response that is kept and returned again accumulates nothing': async ({ transport }) => {
    for (const path of ['/constant', '/placed']) {
      for (const who of ['ada', 'bob', 'eve']) {
        const answer = await ask(transport, { path, headers: { 'x-who': who } });
        const cookies = answer.headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value);
        assert.deepEqual(
          [answer.status, answer.body, cookies.map((cookie) => cookie.split(';')[0])],
          [200, path === '/constant' ? 'for everybody' : 'in its place', [`who=${who}`]],
        );
      }
    }
    assert.equal(sharedResponse.headers.has('set-cookie'), false);
  },
  'changing a response after it was returned or sent has no effect': async (bench) => {
    const { transport, seen } = bench;
    const late = await ask(transport, { path: '/late-change' });
    assert.deepEqual([late.body, field(late, 'x-late')], ['as returned', 'no']);
    const answer = await ask(transport, { path: '/end-listener' });
    assert.deepEqual(await until(() => seen.get('end')), ['refused', 'refused', 'refused']);
    const record = await recordOf(bench, field(answer, 'x-debug-token'));
    assert.doesNotMatch(JSON.stringify(record.response), /late|other/);
  },
};

describe('every feature over every transport', () => {
  for (const name of transportNames) {
    describe(name, () => {
      const holder: { bench?: Bench } = {};
      before(async () => {
        holder.bench = await open(name);
      });
      after(async () => {
        await holder.bench?.transport.close();
        await holder.bench?.app.close();
      });
      for (const [feature, check] of Object.entries(features)) {
        it(feature, async () => {
          assert.ok(holder.bench);
          await check(holder.bench);
        });
      }
    });
  }

  it('without a peer, an app.fetch request has no address, and is not trusted', async () => {
    const { app, transport, seen } = await open('fetch');
    try {
      const answer = await app.fetch('/text');
      assert.equal(await answer.text(), 'né');
      assert.deepEqual([seen.has('peer'), seen.get('peer')], [true, undefined]);
      assert.equal(answer.headers.get('x-debug-token'), null);
      assert.equal((await app.fetch('/_profiler/')).status, 404);
      const fields = { 'x-forwarded-for': '127.0.0.1' };
      assert.equal((await app.fetch('/_profiler/', { headers: fields })).status, 404);
      assert.equal((await app.fetch('/_profiler/', { peer: { address: '192.0.2.1' } })).status, 404);
      assert.equal((await app.fetch('/_profiler/', { peer: { address: '127.0.0.1' } })).status, 200);
      await assert.rejects(app.fetch('/', { peer: { address: 'localhost' } }), { code: 'HTTP_PEER_INVALID' });
    } finally {
      await transport.close();
      await app.close();
    }
  });
});
