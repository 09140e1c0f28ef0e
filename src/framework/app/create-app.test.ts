import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { createCommand } from '#core/command';
import { HttpResponse } from '#core/http';
import { exceptionEvent, kernelListener } from '#framework/kernel';
import type { Extension } from './app-options.js';
import type { Configuration } from './configuration/configuration.js';
import { createApp } from './create-app.js';

/** The error that an exception listener receives if no route has the path, or none accepts the method. */
async function missOf(configuration: Partial<Configuration>, method = 'GET'): Promise<unknown> {
  const app = createApp({ configuration, logHandlers: [] });
  app.get('/there', () => 'here');
  let seen: unknown;
  app.on(exceptionEvent, ({ error }) => void (seen = error), { priority: 1000 });
  const response = await app.fetch(method === 'GET' ? '/nowhere' : '/there', { method });
  assert.equal(response.status, method === 'GET' ? 404 : 405);
  await app.close();
  return seen;
}

function stackOf(error: unknown): string {
  assert.ok(error instanceof Error);
  return error.stack ?? '';
}

describe("an unmatched request's error", () => {
  it('has everything except a stack that no one would see', async () => {
    for (const method of ['GET', 'POST']) {
      const limit = Error.stackTraceLimit;
      const error = await missOf({ env: 'prod', debug: false, profilerStore: 'off' }, method);
      assert.doesNotMatch(stackOf(error), /\n\s*at /);
      assert.ok(error instanceof Error);
      assert.equal(error.cause instanceof Error, method === 'GET', 'only an unmatched path has a cause');
      assert.match(error.message, /No route found for/);
      assert.equal(Error.stackTraceLimit, limit);
    }
  });

  it('has a stack in debug, and if requests are recorded', async () => {
    for (const method of ['GET', 'POST']) {
      const debug = await missOf({ env: 'dev', debug: true, profilerStore: 'off' }, method);
      assert.match(stackOf(debug), /pass-stages/);
      const recorded = await missOf({ env: 'prod', debug: false, profilerStore: 'memory:' }, method);
      assert.match(stackOf(recorded), /pass-stages/);
    }
  });
});

describe("an error's location in lists", () => {
  it('is in the application, and never a framework file for a path without a route', async () => {
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
    });
    app.get('/fails', () => {
      throw new RangeError('too far');
    });
    for (const path of ['/fails', '/nowhere']) await (await app.fetch(path)).text();
    const { rows = [] } = (await app.profiler?.list()) ?? {};
    const locations = new Map(rows.map(({ path, errorLocation }) => [path, errorLocation]));
    assert.match(locations.get('/fails') ?? '', /create-app\.test\.[jt]s:\d+$/);
    assert.equal(locations.get('/nowhere'), null);
    await app.close();
  });
});

describe("an error that an application's listener answers", () => {
  it('is logged if the response is a server error, and not otherwise', async () => {
    const lines: string[] = [];
    const app = createApp({
      configuration: { env: 'prod', debug: false, profilerStore: 'off', trustedHosts: ['*'] },
      logHandlers: [{ minLevel: 'error', handle: ({ message }) => void lines.push(message) }],
    });
    app.get('/fails/{status}', ({ params }) => {
      throw new RangeError(`asked for ${params.status}`);
    });
    app.on(exceptionEvent, (event) => {
      const status = Number(event.request.path.split('/').at(-1));
      if (status > 0) event.response = HttpResponse.text('Sorry.', { status });
    });
    assert.equal((await app.fetch('/fails/503')).status, 503);
    assert.deepEqual(lines.splice(0), ['Uncaught RangeError: asked for 503 (GET /fails/503 503)']);
    assert.equal((await app.fetch('/fails/404')).status, 404);
    assert.deepEqual(lines.splice(0), [], 'it was handled');
    assert.equal((await app.fetch('/fails/0')).status, 500);
    assert.deepEqual(lines, ['Uncaught RangeError: asked for 0 (GET /fails/0 500)'], 'once');
    await app.close();
  });
});

describe('extensions', () => {
  const configuration = { env: 'test', debug: false, profilerStore: 'off', trustedHosts: ['*'] } as const;
  /** An extension that records its calls. */
  const noting = (calls: string[], name: string): Extension => ({
    name,
    started: async () => {
      await Promise.resolve();
      calls.push(`${name} started`);
    },
    stopping: () => void calls.push(`${name} stopping`),
    close: () => void calls.push(`${name} closed`),
  });

  it('are started in order once the server listens, notified when it stops, and closed in reverse order', async () => {
    const calls: string[] = [];
    const app = createApp({ configuration, extensions: [noting(calls, 'a'), noting(calls, 'b')] });
    await app.commands();
    assert.deepEqual(calls, [], 'commands do not start extensions');
    await app.listen({ port: 0 });
    await app.start();
    assert.deepEqual(calls.splice(0), ['a started', 'b started']);
    assert.throws(() => app.use(noting(calls, 'late')), { code: 'FRAMEWORK_EXTENSION_LATE' });
    await app.close();
    assert.deepEqual(calls, ['a stopping', 'b stopping', 'b closed', 'a closed']);
  });

  it('are started by start() if another server passes the requests', async () => {
    const calls: string[] = [];
    const app = createApp({ configuration }).use(noting(calls, 'a'));
    await app.fetch('/');
    assert.deepEqual(calls, []);
    await Promise.all([app.start(), app.start()]);
    assert.deepEqual(calls, ['a started']);
    await app.close();
  });

  it('are refused if two of them, or one and the application, have a profiler section with the same id', () => {
    const one: Extension = { name: 'one', sections: [{ id: 'flags' }] };
    const other: Extension = { name: 'other', sections: [{ id: 'flags' }] };
    const refused = { code: 'OPTIONS_BAD_VALUE', message: /sections\[1\]\.id.*"flags"/ };
    assert.throws(() => createApp({ configuration, extensions: [one, other] }), refused);
    const profiler = { sections: [{ id: 'flags' }] };
    assert.throws(() => createApp({ configuration, extensions: [one], profiler }), refused);
  });

  it('that fail to start make listen() fail and close the server', async () => {
    const failing: Extension = { name: 'worker', started: () => Promise.reject(new Error('no Redis')) };
    const app = createApp({ configuration, extensions: [failing] });
    for (let tries = 0; tries < 2; tries++)
      await assert.rejects(app.listen({ port: 0 }), { message: 'no Redis' }, 'a failed start can be retried');
    await app.close();
  });
});

describe('app.url', () => {
  it('begins with the base path of the configuration, or of the context if that has one', async () => {
    const app = createApp({
      configuration: { env: 'test', profilerStore: 'off', basePath: '/app' },
      logHandlers: [],
    });
    app.get('/about', () => 'about', { name: 'about' });
    assert.equal(app.url('about'), '/app/about');
    assert.equal(app.url('about', {}, { context: { locale: 'en' } }), '/app/about');
    assert.equal(app.url('about', {}, { context: { basePath: '/other' } }), '/other/about');
    assert.equal(app.url('about', {}, { context: { basePath: '' } }), '/about');
    await app.close();
  });
});

describe('app.runCommand', () => {
  it('rejects with the error of a command, whose exit code is then 1 unless the caller chooses another', async () => {
    const app = createApp({ configuration: { env: 'test', profilerStore: 'memory:' }, logHandlers: [] });
    const codes: unknown[] = [];
    const note = (message: unknown): void => void codes.push(message);
    subscribe('lookback:command:end', note);
    const failing = createCommand('fail', { description: 'Fails.' }, () => {
      throw new RangeError('row 7');
    });
    const refused = { name: 'RangeError', message: 'row 7' };
    try {
      await assert.rejects(app.runCommand(failing), refused);
      await assert.rejects(app.runCommand(failing, [], { exitCodeOf: () => 3 }), refused);
      assert.deepEqual(codes, [{ exitCode: 1 }, { exitCode: 3 }]);
    } finally {
      unsubscribe('lookback:command:end', note);
      await app.close();
    }
  });
});

describe('app.fetch with a peer', () => {
  it('gives the controller the passed address, and none without a peer', async () => {
    const app = createApp({ configuration: { env: 'test', profilerStore: 'off' }, logHandlers: [] });
    app.get('/who', ({ request }) => request.clientAddress ?? 'nobody');
    const peer = { address: '203.0.113.9' };
    for (const input of ['/who', new Request('http://localhost/who')])
      assert.equal(await (await app.fetch(input, { peer })).text(), '203.0.113.9');
    assert.equal(await (await app.fetch('/who')).text(), 'nobody');
    await app.close();
  });
});

describe('a value of the wrong kind is refused with a code, the place and what is accepted', () => {
  const app = createApp({ configuration: { env: 'test', profilerStore: 'off' }, logHandlers: [] });
  const refused = (what: string, takes: RegExp): { code: string; message: RegExp; fix: RegExp } => ({
    code: 'OPTIONS_BAD_VALUE',
    message: new RegExp(`^The ${what} is`),
    fix: takes,
  });
  /** Calls a method as code without types does. */
  const call = (target: object, method: string, ...args: unknown[]): unknown =>
    Reflect.apply(Reflect.get(target, method) as (...args: unknown[]) => unknown, target, args); // the methods are functions

  for (const wrong of [undefined, null, 5, {}])
    it(`${JSON.stringify(wrong)}: as a redirect target, a request, a listener, an event or a controller class`, async () => {
      const target = refused('target argument of HttpResponse\\.redirect\\(\\)', /a string/);
      assert.throws(() => call(HttpResponse, 'redirect', wrong), target);
      const request = refused('request argument of app\\.fetch\\(\\)', /a Request, or a path/);
      await assert.rejects(async () => call(app, 'fetch', wrong), request);
      const listener = (where: string): object =>
        refused(`listener argument of ${where}\\(\\)`, /a function/);
      assert.throws(() => call(app, 'on', exceptionEvent, wrong), listener('app\\.on'));
      assert.throws(
        () =>
          Reflect.apply(kernelListener as (...args: unknown[]) => unknown, undefined, [
            exceptionEvent,
            wrong,
          ]), // without types
        listener('kernelListener'),
      );
      const event = refused('event argument of app\\.on\\(\\)', /an event/);
      assert.throws(() => call(app, 'on', wrong, () => undefined), event);
      const controller = refused('controller argument of app\\.register\\(\\)', /a class/);
      assert.throws(() => call(app, 'register', wrong), controller);
    });

  it("as a route's controller", () => {
    const controller = refused('controller argument of The route "/x"', /a class with a handle method/);
    for (const wrong of [5, {}, 'show', [], ['show'], [class {}]]) {
      assert.throws(() => call(app, 'get', '/x', wrong), controller);
      assert.throws(() => call(app, 'route', { path: '/x', controller: wrong }), controller);
    }
  });
});

describe('a response with a body of a wrong type', () => {
  for (const [records, store] of [
    ['kept', {}],
    ['off', { profilerStore: 'off' }],
  ] as const)
    it(`is a 500 that names the type, also if it is a promise that rejects (records: ${records})`, async () => {
      const logged: string[] = [];
      const app = createApp({
        configuration: { env: 'test', debug: false, ...store },
        logHandlers: [{ handle: ({ message }) => void logged.push(message) }],
      });
      const bodies: Readonly<Record<string, () => unknown>> = {
        'a promise': async () => Promise.reject(new Error('no database')),
        'an instance of Array': () => ['a', 'b'],
        'an instance of Map': () => new Map(),
        'a number': () => 5,
      };
      for (const [what, bodyOf] of Object.entries(bodies)) {
        const path = `/${encodeURIComponent(what)}`;
        app.get(`/${what}`, () => HttpResponse.text(bodyOf() as string));
        assert.equal((await app.fetch(path)).status, 500, what);
        assert.match(logged.at(-1) ?? '', new RegExp(`body of a response cannot be ${what}`));
      }
      await app.close();
    });
});
