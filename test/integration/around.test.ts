import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Around,
  createApp,
  type Extension,
  Get,
  HttpRequest,
  HttpResponse,
  kernelListener,
  NotFoundError,
  requestEvent,
  Route,
} from 'lookback';
import { queryParameter, toInteger, withArguments } from 'lookback/controller';
import { local } from '../local-peer.js';

const quiet = { configuration: { profilerStore: 'off' }, logHandlers: [] } as const;

/** Adds its name to a header, in the order of the responses. */
function mark(name: string): Around {
  return async (_request, next) => {
    const response = await next();
    response.headers.append('X-Passed', name);
    return response;
  };
}

async function passed(app: { fetch(path: string): Promise<Response> }, path: string): Promise<string> {
  return (await app.fetch(path)).headers.get('x-passed') ?? '';
}

describe('layers around a controller', () => {
  it("the application's layers run around the groups' layers, and those around the route’s", async () => {
    const app = createApp({
      ...quiet,
      around: [mark('app')],
      extensions: [{ name: 'own', around: [mark('extension')] }],
    });
    app.group({ path: '/a', around: [mark('a')] }, (a) => {
      a.get('/x', () => 'x', { around: [mark('one'), mark('two')] });
      a.group({ path: '/b', around: [mark('b')] }, (b) => void b.get('/y', () => 'y'));
    });
    app.get('/plain', () => 'plain');
    assert.equal(await passed(app, '/a/x'), 'two, one, a, extension, app');
    assert.equal(await passed(app, '/a/b/y'), 'b, a, extension, app');
    assert.equal(await passed(app, '/plain'), 'extension, app');
    assert.equal(await passed(app, '/nowhere'), '', 'no controller to wrap');
  });

  it("a class's layers apply to its methods' routes", async () => {
    class Books {
      list(): string {
        return 'books';
      }
      one(): string {
        return 'one';
      }
    }
    Route('/books', { around: [mark('class')] })(Books as never);
    const list = Object.getOwnPropertyDescriptor(Books.prototype, 'list') ?? {};
    Get('', { around: [mark('method')] })(Books.prototype as never, 'list' as never, list as never);
    const one = Object.getOwnPropertyDescriptor(Books.prototype, 'one') ?? {};
    Get('/one')(Books.prototype as never, 'one' as never, one as never);
    const app = createApp(quiet).register(Books);
    assert.equal(await passed(app, '/books'), 'method, class');
    assert.equal(await passed(app, '/books/one'), 'class');
  });

  it('layers of one request do not change a response that a controller shares between requests', async () => {
    const shared = HttpResponse.text('for everybody');
    const app = createApp(quiet).get('/', () => shared, { around: [mark('once')] });
    assert.equal(await passed(app, '/'), 'once');
    assert.equal(await passed(app, '/'), 'once');
    assert.equal(shared.headers.has('x-passed'), false);
  });

  it('a request stays synchronous if every layer and the controller are', () => {
    const app = createApp({ ...quiet, around: [(_request, next) => next()] });
    app.get('/', () => 'now', { around: [(_request, next) => next()] });
    const request = new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['host', 'localhost'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    const answer = app.handle(request);
    assert.ok(answer instanceof HttpResponse);
    assert.equal(answer.body, 'now');
  });

  it('a layer may respond itself, before the arguments are read', async () => {
    let calls = 0;
    const app = createApp(quiet);
    const closed: Around = (request, next) =>
      request.query.has('open') ? next() : HttpResponse.text('closed', { status: 503 });
    app.get(
      '/',
      withArguments([queryParameter('open', { convert: toInteger })], (open) => {
        calls++;
        return { open };
      }),
      { around: [closed] },
    );
    assert.equal((await app.fetch('/')).status, 503);
    assert.equal(calls, 0);
    assert.deepEqual(await (await app.fetch('/?open=1')).json(), { open: 1 });
  });

  it('an inner error can be answered by a layer, or propagates as if there were no layers', async () => {
    const app = createApp(quiet);
    const caught: Around = async (_request, next) => {
      try {
        return await next();
      } catch (error) {
        return HttpResponse.text(`caught ${String(error)}`, { status: 418 });
      }
    };
    const throwing = (): never => {
      throw new NotFoundError('gone');
    };
    app.get('/caught', throwing, { around: [caught] });
    app.get('/caught-later', async () => throwing(), { around: [caught] });
    app.get('/on', throwing, { around: [(_request, next) => next()] });
    for (const path of ['/caught', '/caught-later']) {
      const answer = await app.fetch(path);
      assert.deepEqual([answer.status, await answer.text()], [418, 'caught NotFoundError: gone'], path);
    }
    const problem = await app.fetch('/on');
    assert.equal(problem.status, 404);
    assert.equal(((await problem.json()) as { detail: string }).detail, 'gone');
  });

  it('next() works only once, and a layer must return a response', async () => {
    const errors: string[] = [];
    const logHandlers = [
      {
        level: 'critical' as const,
        handle: ({ message }: { message: string }) => void errors.push(message),
      },
    ];
    const app = createApp({ ...quiet, logHandlers });
    const twice: Around = async function twice(_request, next) {
      await next();
      return next();
    };
    const nothing = (async () => undefined) as unknown as Around;
    app.get('/twice', () => 'x', { around: [twice] });
    app.get('/nothing', () => 'x', { around: [nothing] });
    assert.equal((await app.fetch('/twice')).status, 500);
    assert.equal((await app.fetch('/nothing')).status, 500);
    assert.match(errors.join('\n'), /layer twice called next\(\) twice[^]*layer nothing returned undefined/);
  });

  it('the record shows how long each layer took', async () => {
    const app = createApp({ configuration: { profilerStore: 'memory:', debug: true }, logHandlers: [] });
    app.get('/', () => 'x', {
      around: [
        async function slowly(_request, next) {
          await new Promise((resolve) => setTimeout(resolve, 30)); // the duration that the test looks for
          return next();
        },
        async function quickly(_request, next) {
          return next();
        },
      ],
    });
    const token = (await app.fetch('/', local)).headers.get('x-debug-token') ?? '';
    const page = await (
      await app.fetch(`/_profiler/${token}?panel=time&threshold=all`, {
        headers: { accept: 'text/html' },
        ...local,
      })
    ).text();
    assert.match(page, /slowly/);
    const found = await app.profiler?.find(token);
    assert.equal(found?.kind, 'found');
    const [slow = 0, quick = Infinity] = ['slowly', 'quickly'].map(
      (layer) => found.record.timeline.find(({ name }) => name === layer)?.durationMs,
    );
    assert.ok(slow >= 25 && slow >= quick, `${slow} ms around ${quick} ms`);
    await app.close();
  });
});

describe('extensions', () => {
  it('add routes and listeners, also after the application was created, and are closed in reverse order', async () => {
    const told: string[] = [];
    const extension = (name: string): Extension => ({
      name,
      routes: [{ path: `/${name}`, controller: () => name }],
      listeners: [
        kernelListener(requestEvent, ({ request }) => void told.push(`${name} ${request.path}`), {
          name,
          priority: 0,
        }),
      ],
      stopping: () => void told.push(`${name} stopping`),
      close: () => void told.push(`${name} closed`),
    });
    const app = createApp({ ...quiet, extensions: [extension('one'), extension('two')] });
    assert.equal(app.use(extension('three')), app);
    assert.equal(await (await app.fetch('/one')).text(), 'one');
    assert.equal(await (await app.fetch('/three')).text(), 'three');
    await app.close();
    assert.deepEqual(told.slice(0, 3), ['one /one', 'two /one', 'three /one']);
    const ends = [
      'one stopping',
      'two stopping',
      'three stopping',
      'three closed',
      'two closed',
      'one closed',
    ];
    assert.deepEqual(told.slice(6), ends);
  });

  it('that fail on closing do not keep the others open', async () => {
    const told: string[] = [];
    const app = createApp({
      ...quiet,
      extensions: [
        { name: 'first', close: () => void told.push('first closed') },
        {
          name: 'second',
          stopping: () => {
            throw new Error('stopping');
          },
          close: () => {
            throw new Error('closing');
          },
        },
      ],
    });
    await app.close();
    assert.deepEqual(told, ['first closed']);
  });

  it('with a section are refused once the profiler has been created', () => {
    const app = createApp(quiet);
    assert.throws(() => app.use({ name: 'late', sections: [] }), { code: 'FRAMEWORK_EXTENSION_LATE' });
  });

  it('can name paths for which no record is kept', async () => {
    const app = createApp({
      configuration: { profilerStore: 'memory:', debug: true },
      logHandlers: [],
      extensions: [
        { name: 'quiet', unrecordedPaths: ['/ping'], routes: [{ path: '/ping', controller: () => 'p' }] },
      ],
    });
    const ping = await app.fetch('/ping', local);
    assert.deepEqual([ping.status, ping.headers.get('x-debug-token')], [200, null]);
    assert.notEqual((await app.fetch('/pong', local)).headers.get('x-debug-token'), null);
    await app.close();
  });
});
