import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { type Around, type ResolvedController, resolveController } from '#framework/controller';
import { createDispatcher, type Dispatcher } from '#core/events';
import { NotFoundError } from '#core/errors';
import { HttpRequest, HttpResponse } from '#core/http';
import { createLogger } from '#core/log';
import { compileRoutes, createRoutes } from '#core/routing';
import { createScopeKey, currentScope } from '#core/scope';
import { createKernel, type Kernel } from './create-kernel.js';
import {
  createErrorListener,
  createRouterListener,
  robotsListener,
  viewListener,
} from './listeners/built-in-listeners.js';
import {
  controllerArgumentsEvent,
  controllerEvent,
  requestEvent,
  viewEvent,
  type ViewEvent,
  responseEvent,
  exceptionEvent,
  finishRequestEvent,
  terminateEvent,
  routingOutcome,
} from './exchange/kernel-exchange.js';
import { addKernelListeners, kernelListener } from './kernel-listener.js';

interface Bench {
  readonly kernel: Kernel;
  readonly dispatcher: Dispatcher;
  readonly failures: unknown[];
  readonly messages: string[];
}

function bench(
  controllers: Readonly<Record<string, () => unknown>>,
  options: Partial<Parameters<typeof createKernel>[0]> = {},
): Bench {
  const dispatcher = createDispatcher();
  const failures: unknown[] = [];
  const messages: string[] = [];
  const log = createLogger({
    handlers: [
      {
        handle({ level, context, message }) {
          if (level !== 'critical') return;
          failures.push(context);
          messages.push(message);
        },
      },
    ],
  });
  const routes = createRoutes();
  for (const [path, target] of Object.entries(controllers)) routes.add({ path, methods: ['GET'], target });
  const compiled = compileRoutes(routes);
  createRouterListener({ routes: () => compiled, log }).addTo(dispatcher);
  viewListener.addTo(dispatcher);
  robotsListener.addTo(dispatcher);
  const render = (error: unknown): HttpResponse =>
    HttpResponse.text(`error: ${String(error)}`, { status: 500 });
  createErrorListener({ render }).addTo(dispatcher);
  const controllerOf = (route: { name: string; target: unknown }): ResolvedController =>
    resolveController(route.target, {
      route: route.name,
      arguments: [],
      context: { name: 'context', resolve: () => null },
      instantiate: (Owner) => Reflect.construct(Owner, []) as object,
    });
  return {
    kernel: createKernel({ dispatcher, controllerOf, log, ...options }),
    dispatcher,
    failures,
    messages,
  };
}

function request(target: string, method = 'GET', ...headers: string[]): HttpRequest {
  return new HttpRequest({
    method,
    target,
    rawHeaders: ['Host', 'localhost', ...headers],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
}

function bodyOf(response: HttpResponse): string {
  return typeof response.body === 'string' ? response.body : '';
}

function watch(dispatcher: Dispatcher): string[] {
  const seen: string[] = [];
  for (const type of [
    requestEvent,
    controllerEvent,
    controllerArgumentsEvent,
    viewEvent,
    responseEvent,
    finishRequestEvent,
    exceptionEvent,
    terminateEvent,
  ]) {
    dispatcher.on(type as typeof requestEvent, () => void seen.push(type.name), { priority: 1000 });
  }
  return seen;
}

describe('createKernel', () => {
  it('K1: runs the stages in order, in one tick if everything is synchronous', async () => {
    const { kernel, dispatcher } = bench({ '/': () => 'hello' });
    const seen = watch(dispatcher);
    const [asked, response] = [request('/'), kernel.handle(request('/'))];
    assert.ok(response instanceof HttpResponse);
    assert.deepEqual(seen, [
      'request',
      'controller',
      'controller_arguments',
      'view',
      'response',
      'finish_request',
    ]);
    assert.equal(response.body, 'hello');
    assert.equal(response.headers.get('x-robots-tag'), 'noindex');
    await kernel.terminate(asked, response, { status: 200, headers: [], bodyBytes: 5, completed: true });
    assert.equal(seen.at(-1), 'terminate');
  });

  it('K2: passes an error through exception, response and finish request', async () => {
    for (const controller of [
      () => {
        throw new Error('sync');
      },
      async () => {
        await nextTurn();
        throw new Error('late');
      },
    ]) {
      const { kernel, dispatcher } = bench({ '/': controller });
      const seen = watch(dispatcher);
      const response = await kernel.handle(request('/'));
      assert.equal(response.status, 500);
      assert.match(bodyOf(response), /^error: Error: (sync|late)$/);
      assert.deepEqual(seen.slice(-3), ['exception', 'response', 'finish_request']);
    }
  });

  it('K8: finalizes a miss only after every request listener; a listener may turn it into a redirect', async () => {
    const { kernel, dispatcher } = bench({ '/here': () => 'x' });
    const late: unknown[] = [];
    dispatcher.on(
      requestEvent,
      ({ request: asked }) => void late.push(asked.scope.getOwn(routingOutcome)?.kind),
      { priority: -10 },
    );
    const missed = await kernel.handle(request('/gone'));
    assert.deepEqual(late, ['not-found']);
    assert.equal(missed.status, 500); // the test's own renderer
    assert.match(bodyOf(missed), /No route found for "GET http:\/\/localhost\/gone"/);
    dispatcher.on(
      requestEvent,
      ({ request: asked }) => {
        asked.scope.set(routingOutcome, { kind: 'redirect', location: '/here', status: 302, by: 'test' });
      },
      { priority: -20 },
    );
    const redirected = await kernel.handle(request('/gone'));
    assert.deepEqual([redirected.status, redirected.headers.get('location')], [302, '/here']);
  });

  it("lets a bad request outrank the listeners' response", async () => {
    const { kernel, dispatcher } = bench({ '/': () => 'x' });
    dispatcher.on(requestEvent, (event) => {
      event.request.scope.set(routingOutcome, { kind: 'bad-request', error: new Error('no request') });
      event.response = HttpResponse.text('login first');
    });
    assert.match(bodyOf(await kernel.handle(request('/'))), /no request/);
  });

  it('answers a failing response listener, and the other listeners still see that response', async () => {
    const { kernel, dispatcher, failures } = bench({ '/': () => 'x' });
    dispatcher.on(
      responseEvent,
      () => {
        throw new Error('listener');
      },
      { priority: 5 },
    );
    const response = await kernel.handle(request('/'));
    assert.match(bodyOf(response), /error: Error: listener/);
    assert.equal(response.headers.get('x-robots-tag'), 'noindex');
    assert.equal(failures.length, 1);
  });

  it('never throws: a failing exception, finish or terminate listener or error page still gets a response', async () => {
    const { kernel, dispatcher, failures, messages } = bench({
      '/': () => {
        throw new Error('first');
      },
      '/unprintable': () => {
        throw Object.create(null); // makes this test's error page fail
      },
    });
    const unprintable = await kernel.handle(request('/unprintable'));
    assert.deepEqual([unprintable.status, bodyOf(unprintable)], [500, '500 Internal Server Error\n']);
    assert.match(messages.splice(0).join('\n'), /error page threw while.*\n.*No listener answered an error/);
    failures.length = 0;
    dispatcher.on(exceptionEvent, () => {
      throw new Error('in the error stage');
    });
    dispatcher.on(finishRequestEvent, () => Promise.reject(new Error('finish')));
    dispatcher.on(terminateEvent, () => {
      throw new Error('terminate');
    });
    const asked = request('/');
    const response = await kernel.handle(asked);
    assert.deepEqual([response.status, bodyOf(response)], [500, 'error: Error: in the error stage']);
    await kernel.terminate(asked, response, { status: 500, headers: [], bodyBytes: 0, completed: true });
    assert.equal(failures.length, 3);
  });

  it('R6: answers OPTIONS on a route that does not declare it with a 405 and the declared methods', async () => {
    const { kernel } = bench({ '/': () => 'x' });
    const options = await kernel.handle(request('/', 'OPTIONS'));
    assert.equal(options.headers.get('allow'), 'GET');
    assert.match(bodyOf(options), /No route found for "OPTIONS .*": Method Not Allowed \(Allow: GET\)$/);
    const refused = await kernel.handle(request('/', 'PUT'));
    assert.equal(refused.headers.get('allow'), 'GET');
    assert.match(bodyOf(refused), /Method Not Allowed \(Allow: GET\)$/);
  });

  it('turns results into responses, and a missing result into a helpful error', async () => {
    const { kernel } = bench({
      '/object': () => ({ a: 1 }),
      '/list': () => [1],
      '/null': () => null,
      '/nothing': () => undefined,
      '/web': () => new Response('web', { status: 201 }),
    });
    const bodies = async (path: string): Promise<unknown[]> => {
      const response = await kernel.handle(request(path));
      return [
        response.status,
        response.headers.get('content-type'),
        typeof response.body === 'string' ? response.body : 'stream',
      ];
    };
    assert.deepEqual(await bodies('/object'), [200, 'application/json', '{"a":1}']);
    assert.deepEqual(await bodies('/list'), [200, 'application/json', '[1]']);
    assert.match(String((await bodies('/nothing'))[2]), /return statement missing/);
    assert.match(String((await bodies('/null'))[2]), /returned null/);
    assert.equal((await bodies('/web'))[0], 201);
  });

  it('gives each request its own scope, including its background work', async () => {
    const key = createScopeKey<string>('who');
    const [seen, later]: [(string | undefined)[], (string | undefined)[]] = [[], []];
    const { kernel, dispatcher } = bench({
      '/{who}': async () => {
        await nextTurn();
        seen.push(currentScope()?.get(key));
        void nextTurn().then(() => later.push(currentScope()?.get(key)));
        return 'x';
      },
    });
    dispatcher.on(requestEvent, ({ request: asked }) => asked.scope.set(key, asked.path));
    await Promise.all(['/a', '/b', '/c'].map((path) => kernel.handle(request(path))));
    assert.deepEqual(seen.sort(), ['/a', '/b', '/c']);
    while (later.length < 3) await nextTurn();
    assert.deepEqual(later.sort(), ['/a', '/b', '/c']);
  });
});

describe('a stream as a response body', () => {
  const streams = {
    '/fails': () =>
      HttpResponse.stream(
        new ReadableStream<Uint8Array>({
          async pull() {
            await nextTurn();
            throw new Error('no such file');
          },
        }),
      ),
    '/works': () =>
      HttpResponse.stream(
        (async function* (): AsyncGenerator<string> {
          yield 'one';
        })(),
      ),
  };

  it('that fails before its first chunk is answered as an error', async () => {
    const { kernel, failures } = bench(streams);
    const response = await kernel.handle(request('/fails'));
    assert.deepEqual([response.status, bodyOf(response)], [500, 'error: Error: no such file']);
    assert.equal(failures.length, 0);
  });

  it('is not started if the client gets none of it', async () => {
    const { kernel, dispatcher } = bench(streams);
    dispatcher.on(responseEvent, ({ response }) => void (response.status = 304));
    assert.equal((await kernel.handle(request('/fails'))).status, 304);
  });

  it('waits for its first chunk', async () => {
    const { kernel } = bench(streams);
    const pending = kernel.handle(request('/works'));
    assert.ok(pending instanceof Promise);
    assert.equal((await pending).status, 200);
  });
});

describe("an unmatched request's error", () => {
  const missOf = async (asked: HttpRequest, traceMisses?: boolean): Promise<Error> => {
    const { kernel, dispatcher } = bench(
      { '/': () => 'x' },
      traceMisses === undefined ? {} : { traceMisses },
    );
    let seen: unknown;
    dispatcher.on(exceptionEvent, ({ error }) => void (seen = error), { priority: 100 });
    await kernel.handle(asked);
    assert.ok(seen instanceof Error);
    return seen;
  };

  it('names the request, and the referring page if there is one', async () => {
    const from = await missOf(request('/gone', 'GET', 'Referer', 'http://localhost/list'));
    assert.equal(
      from.message,
      'No route found for "GET http://localhost/gone" (from "http://localhost/list")',
    );
    for (const headers of [[], ['Referer', '']])
      assert.equal(
        (await missOf(request('/gone', 'GET', ...headers))).message,
        'No route found for "GET http://localhost/gone"',
      );
    const method = await missOf(request('/', 'PUT'));
    assert.equal(
      method.message,
      'No route found for "PUT http://localhost/": Method Not Allowed (Allow: GET)',
    );
    for (const error of [from, method])
      assert.equal(Reflect.get(error, 'expose'), false, 'the message quotes client headers');
  });

  it('has a stack unless misses are not traced', async () => {
    for (const asked of [() => request('/gone'), () => request('/', 'PUT')]) {
      assert.match((await missOf(asked())).stack ?? '', /\n +at /);
      assert.match((await missOf(asked(), true)).stack ?? '', /\n +at /);
      assert.doesNotMatch((await missOf(asked(), false)).stack ?? '', /\n +at /);
    }
  });

  it('does not exist for OPTIONS *, which addresses the server as a whole', async () => {
    const { kernel } = bench({ '/': () => 'x' });
    const response = await kernel.handle(request('*', 'OPTIONS'));
    assert.deepEqual([response.status, response.body, response.headers.has('allow')], [204, null, false]);
    assert.match(bodyOf(await kernel.handle(request('/gone', 'OPTIONS'))), /No route found for "OPTIONS /);
  });
});

describe('a redirect by the router', () => {
  it('may lead to another host, which only the router can do', async () => {
    const { kernel, dispatcher } = bench({ '/': () => 'x' });
    for (const location of ['https://shop.example/', '/here?a=1']) {
      dispatcher.on(requestEvent, ({ request: asked }) => {
        asked.scope.set(routingOutcome, { kind: 'redirect', location, status: 307, by: 'test' });
      });
      const response = await kernel.handle(request('/'));
      assert.deepEqual([response.status, response.headers.get('location')], [307, location]);
    }
  });

  it('keeps the query and encodes the path', async () => {
    const { kernel } = bench({ '/ä b/': () => 'x' });
    for (const query of ['', '?a=1&b=%20']) {
      const response = await kernel.handle(request(`/%C3%A4%20b${query}`));
      assert.deepEqual([response.status, response.headers.get('location')], [301, `/%C3%A4%20b/${query}`]);
    }
  });
});

describe('a controller', () => {
  it('may return anything awaitable', async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- as libraries have it
    const withThen = (then: unknown): object => ({ then });
    const { kernel } = bench({
      '/thenable': () => withThen((done: (value: string) => void) => done('late')),
      '/odd': () => withThen('no function'),
      '/promise': async () => 'promise',
    });
    const bodies: string[] = [];
    for (const path of ['/thenable', '/odd', '/promise'])
      bodies.push(bodyOf(await kernel.handle(request(path))));
    assert.deepEqual(bodies, ['late', '{"then":"no function"}', 'promise']);
  });

  it('that returns nothing to send is named in the error, with its result', async () => {
    const { kernel } = bench({
      '/null': () => null,
      '/nothing': () => undefined,
      '/call': () => () => 'x',
      '/big': () => 1n,
      '/map': () => new Map([[1, 2]]),
    });
    const said: string[] = [];
    for (const path of ['/null', '/nothing', '/call', '/big', '/map'])
      said.push(bodyOf(await kernel.handle(request(path))));
    assert.match(said[0] ?? '', /returned null, which is not a response\.$/);
    assert.match(said[1] ?? '', /returned nothing\. Is a return statement missing\?$/);
    assert.match(said[2] ?? '', /returned a function, which is not a response\.$/);
    assert.match(said[3] ?? '', /returned a bigint, which is not a response\.$/);
    assert.match(
      said[4] ?? '',
      /returned an instance of Map, which is not a response\. Its JSON would be empty\.$/,
    );
  });

  it('that returns an error throws it, unless a listener turns it into a response', async () => {
    const errors = [
      new NotFoundError('No such book.'),
      new TypeError('broken'),
      new DOMException('no', 'AbortError'),
    ];
    const { kernel, dispatcher } = bench({
      '/0': () => errors[0],
      '/1': async () => errors[1],
      '/2': () => errors[2],
    });
    const thrown: unknown[] = [];
    dispatcher.on(exceptionEvent, ({ error }) => void thrown.push(error), { priority: 100 });
    for (const path of ['/0', '/1', '/2']) await kernel.handle(request(path));
    assert.deepEqual(thrown, errors);
    const answer = (event: ViewEvent) => void (event.response = HttpResponse.text('as a value'));
    dispatcher.on(viewEvent, answer, { priority: 100 });
    assert.equal(bodyOf(await kernel.handle(request('/1'))), 'as a value');
    assert.equal(thrown.length, errors.length);
  });
});

describe('a layer', () => {
  it('is refused by name if it calls next() twice or returns no response', async () => {
    const twice: Around = async (_request, next) => {
      await next();
      return next();
    };
    const nothing = (() => undefined) as unknown as Around; // as untyped programs may do
    const unnamed = [(() => Promise.resolve('x')) as unknown as Around]; // as untyped programs may do
    for (const [layer, problem] of [
      [twice, 'The layer twice called next() twice for one request.'],
      [nothing, 'The layer nothing returned undefined, but a layer must return an HttpResponse.'],
      [unnamed[0] ?? twice, 'The layer anonymous returned string, but a layer must return an HttpResponse.'],
    ] as const) {
      const { kernel } = bench({ '/': () => 'x' }, { around: [layer] });
      assert.ok(bodyOf(await kernel.handle(request('/'))).endsWith(`: ${problem}`));
    }
  });
});

describe('a layer that answers without waiting for the controller', () => {
  it('has its response sent, even if the controller answers or fails while response listeners run', async () => {
    for (const ends of ['answers', 'fails'] as const) {
      let [resolve, reject]: ((value: string) => void)[] = [];
      const work = new Promise<string>((...settle) => void ([resolve, reject] = settle));
      const impatient: Around = async (_request, next) => {
        void Promise.resolve(next()).catch(() => undefined);
        return HttpResponse.text('too late', { status: 503 });
      };
      const { kernel, dispatcher } = bench({ '/': () => work }, { around: [impatient] });
      const failures: unknown[] = [];
      dispatcher.on(exceptionEvent, ({ error }) => void failures.push(error), { priority: 100 });
      const settle = async (): Promise<void> => {
        if (ends === 'answers') resolve?.('late');
        else reject?.('late');
        await nextTurn();
      };
      dispatcher.on(finishRequestEvent, settle);
      const { status, body } = await kernel.handle(request('/'));
      assert.deepEqual([status, body, failures], [503, 'too late', []], ends);
    }
  });
});

describe('a request with an asynchronous controller', () => {
  it('costs the kernel one promise, and none if everything is synchronous', () => {
    const later = Promise.resolve({ a: 1 });
    const { kernel } = bench({ '/later': () => later, '/now': () => ({ a: 1 }) });
    const [first, second] = [request('/later'), request('/now')];
    let promises = 0;
    const hook = createHook({ init: (_id, type) => void (promises += type === 'PROMISE' ? 1 : 0) });
    hook.enable();
    void kernel.handle(second);
    const ofSynchronous = promises;
    void kernel.handle(first);
    hook.disable();
    assert.deepEqual([ofSynchronous, promises], [0, 1]);
  });
});

describe('an unanswered error', () => {
  it('is logged, and so is an error in the error page or the final stages', async () => {
    const dispatcher = createDispatcher();
    const { kernel, messages, failures } = bench({ '/': () => 'x' }, { dispatcher });
    dispatcher.on(requestEvent, () => {
      throw new Error('first');
    });
    const response = await kernel.handle(request('/'));
    assert.deepEqual([response.status, bodyOf(response)], [500, '500 Internal Server Error\n']);
    const first = 'No listener answered an error: Error: first';
    assert.deepEqual(messages.splice(0), [first]);
    assert.match(String(Reflect.get(Object(failures[0]), 'error')), /first/);
    dispatcher.on(finishRequestEvent, () => {
      throw new Error('last');
    });
    await kernel.handle(request('/'));
    const late = 'A listener threw after its error could no longer be turned into a response: Error: last';
    assert.deepEqual(messages.splice(0), [first, late]);
    dispatcher.on(terminateEvent, () => Promise.reject(new RangeError('afterwards')));
    await kernel.terminate(request('/'), response, {
      status: 500,
      headers: [],
      bodyBytes: 0,
      completed: true,
    });
    assert.deepEqual(messages, ['A listener failed after the response was sent: RangeError: afterwards']);
  });

  it('in a response listener that sets something other than a response ends in a plain response', async () => {
    const { kernel, dispatcher, failures } = bench({ '/': () => 'x' });
    dispatcher.on(responseEvent, (event) => {
      event.response = new HttpResponse(7 as never); // as untyped programs may do
    });
    const response = await kernel.handle(request('/'));
    assert.deepEqual([response.status, bodyOf(response)], [500, '500 Internal Server Error\n']);
    assert.equal(failures.length, 1);
  });
});

describe('listeners from another copy of the package', () => {
  const foreign = { name: 'request', slot: requestEvent.slot }; // the other copy's own event
  it('are refused', () => {
    const listener = kernelListener(foreign, () => undefined, { name: 'firewall', priority: 0 });
    assert.throws(() => addKernelListeners(createDispatcher(), [listener]), {
      code: 'KERNEL_OTHER_COPY',
      message: 'The listener "firewall" of the event "request" was created with another copy of lookback.',
    });
  });
});
