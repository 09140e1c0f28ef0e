import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Around, ControllerTarget } from '#framework/controller';
import { HttpResponse } from '#core/http';
import type { ProfileRecord } from '#profiler';
import type { AppOptions } from '../app-options.js';
import type { App } from '../app.js';
import { createApp } from '../create-app.js';

const local = { peer: { address: '127.0.0.1' } } as const;

function openApp(options: Partial<AppOptions> = {}): App {
  const configuration = { env: 'test', debug: true, profilerStore: 'memory:' } as const;
  return createApp({ configuration, logHandlers: [], ...options });
}

async function recordOf(app: App, path: string): Promise<ProfileRecord> {
  const response = await app.fetch(path, local);
  await response.text();
  const found = await app.profiler?.find(response.headers.get('x-debug-token') ?? '');
  assert.ok(found?.kind === 'found');
  return found.record;
}

describe("a controller's duration", () => {
  it("ends when it returns or throws, synchronously or later, like its layers' duration", async () => {
    const app = openApp();
    const later = async (work: () => string): Promise<string> => {
      await nextTurn();
      return work();
    };
    const fail = (): never => {
      throw new Error('no');
    };
    const handlers = {
      gives: () => 'now',
      throws: fail,
      later: () => later(() => 'x'),
      fails: () => later(fail),
    };
    const outer: Around = (_request, next) => next();
    for (const [name, handler] of Object.entries(handlers)) app.get(`/${name}`, handler, { around: [outer] });
    for (const name of Object.keys(handlers)) {
      const { timeline, events } = await recordOf(app, `/${name}`);
      const after = events.find(({ event }) => event === 'response')?.startMs ?? 0;
      for (const category of ['controller', 'around']) {
        const span = timeline.find((one) => one.category === category);
        assert.ok(span !== undefined && span.open === undefined, `${name}: ${category}`);
        assert.ok(span.startMs + span.durationMs <= after, `${name}: ${category} ends before the response`);
      }
      assert.deepEqual(
        timeline.filter(({ category }) => category === 'around').map((span) => span.name),
        ['outer'],
      );
    }
    await app.close();
  });

  it('has the name of each layer, and “anonymous” for one without', async () => {
    const inner: Around = (_request, next) => next();
    const app = openApp({ around: [(_request, next) => next(), inner] });
    app.get('/', () => 'x');
    const { timeline } = await recordOf(app, '/');
    assert.deepEqual(
      timeline.filter(({ category }) => category === 'around').map(({ name }) => name),
      ['anonymous', 'inner'],
    );
    await app.close();
  });
});

describe('a controller class', () => {
  it('is instantiated once for all routes and requests, by the application if configured', async () => {
    const made: string[] = [];
    class Pages {
      constructor(by = 'new') {
        made.push(by);
      }
      first(): string {
        return 'first';
      }
      second(): string {
        return 'second';
      }
    }
    for (const [options, by] of [
      [{}, 'new'],
      [{ instantiate: () => new Pages('container') }, 'container'],
    ] as const) {
      const app = openApp({ ...options, configuration: { env: 'test', profilerStore: 'off' } });
      for (const method of ['first', 'second'])
        app.get(`/${method}`, [Pages, method] as ControllerTarget as never); // a pair of class and method name
      for (const path of ['/first', '/second', '/first'])
        assert.equal(await (await app.fetch(path)).text(), path.slice(1));
      assert.deepEqual(made.splice(0), [by]);
      await app.close();
    }
  });
});

describe('layers that are not recorded', () => {
  it('are called directly', async () => {
    const app = openApp({ configuration: { env: 'test', profilerStore: 'off' } });
    const seen: unknown[] = [];
    const layer: Around = async (request, next) => {
      seen.push(request.path);
      const response = await next();
      response.headers.set('X-Passed', '1');
      return response;
    };
    app.get('/x', () => HttpResponse.text('x'), { around: [layer] });
    assert.equal((await app.fetch('/x')).headers.get('x-passed'), '1');
    assert.deepEqual(seen, ['/x']);
    await app.close();
  });
});
