import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { type ResolvedController, resolveController } from '#controller';
import { createDispatcher, type Dispatcher } from '#events';
import { HttpRequest, HttpResponse } from '#http';
import { createLogger } from '#log';
import { compileRoutes, createRoutes } from '#routing';
import { createScopeKey, currentScope } from '#scope';
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
}

function bench(controllers: Readonly<Record<string, () => unknown>>): Bench {
  const dispatcher = createDispatcher();
  const failures: unknown[] = [];
  const log = createLogger({
    handlers: [{ handle: ({ level, context }) => void (level === 'critical' && failures.push(context)) }],
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
  return { kernel: createKernel({ dispatcher, controllerOf, log }), dispatcher, failures };
}

function request(target: string, method = 'GET'): HttpRequest {
  return new HttpRequest({
    method,
    target,
    rawHeaders: ['Host', 'localhost'],
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
  it('K1: stages in order, all in one turn while everything is synchronous', async () => {
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

  it('K2: an error goes through exception, response and finish request', async () => {
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

  it('K8: a miss is final only after every request listener; a listener may turn it into a redirect', async () => {
    const { kernel, dispatcher } = bench({ '/here': () => 'x' });
    const late: unknown[] = [];
    dispatcher.on(
      requestEvent,
      ({ request: asked }) => void late.push(asked.scope.getOwn(routingOutcome)?.kind),
      { priority: -10 },
    );
    const missed = await kernel.handle(request('/gone'));
    assert.deepEqual(late, ['not-found']);
    assert.equal(missed.status, 500); // the bench's own renderer
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

  it('a bad request outranks what the listeners answered', async () => {
    const { kernel, dispatcher } = bench({ '/': () => 'x' });
    dispatcher.on(requestEvent, (event) => {
      event.request.scope.set(routingOutcome, { kind: 'bad-request', error: new Error('no request') });
      event.response = HttpResponse.text('login first');
    });
    assert.match(bodyOf(await kernel.handle(request('/'))), /no request/);
  });

  it('a failing response listener is answered, and the other listeners still see that answer', async () => {
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

  it('never throws: a failing error page, finish listener or terminate listener still leaves an answer', async () => {
    const { kernel, dispatcher, failures } = bench({
      '/': () => {
        throw new Error('first');
      },
    });
    dispatcher.on(exceptionEvent, () => {
      throw new Error('in the error stage');
    });
    dispatcher.on(finishRequestEvent, () => Promise.reject(new Error('finish')));
    dispatcher.on(terminateEvent, () => {
      throw new Error('terminate');
    });
    const asked = request('/');
    const response = await kernel.handle(asked);
    assert.equal(response.status, 500);
    await kernel.terminate(asked, response, { status: 500, headers: [], bodyBytes: 0, completed: true });
    assert.equal(failures.length, 4);
  });

  it('R6: OPTIONS names the declared methods, 405 says them too', async () => {
    const { kernel } = bench({ '/': () => 'x' });
    const options = await kernel.handle(request('/', 'OPTIONS'));
    assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET']);
    const refused = await kernel.handle(request('/', 'PUT'));
    assert.equal(refused.headers.get('allow'), 'GET');
    assert.match(bodyOf(refused), /Method Not Allowed \(Allow: GET\)$/);
  });

  it('results become responses; nothing becomes a helpful error', async () => {
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

  it('each request has its own scope, also for what runs beside it', async () => {
    const key = createScopeKey<string>('who');
    const seen: (string | undefined)[] = [];
    const { kernel, dispatcher } = bench({
      '/{who}': async () => {
        await nextTurn();
        seen.push(currentScope()?.get(key));
        return 'x';
      },
    });
    dispatcher.on(requestEvent, ({ request: asked }) => asked.scope.set(key, asked.path));
    await Promise.all(['/a', '/b', '/c'].map((path) => kernel.handle(request(path))));
    assert.deepEqual(seen.sort(), ['/a', '/b', '/c']);
  });
});

describe('listeners of another copy of the package', () => {
  const foreign = { name: 'request', slot: requestEvent.slot }; // what the other copy has for its own
  it('are refused', () => {
    const listener = kernelListener(foreign, () => undefined, { name: 'firewall', priority: 0 });
    assert.throws(() => addKernelListeners(createDispatcher(), [listener]), {
      code: 'KERNEL_OTHER_COPY',
      message: 'The listener "firewall" of the event "request" was created with another copy of lookback.',
    });
  });
});
