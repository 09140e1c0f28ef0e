import assert from 'node:assert/strict';
import { it } from 'node:test';
import { timeRouteOf, watchRoutes } from './fastify.js';

it('Fastify hooks run unchanged without a recording, and are timed once', () => {
  const calls: unknown[] = [];
  const own = (...args: unknown[]): unknown => calls.push(args);
  const context = { onRequest: [own], preHandler: null, config: {} };
  const request = { [Symbol('fastify.context')]: context };
  timeRouteOf(request);
  const [timed] = context.onRequest;
  assert.ok(timed);
  assert.notEqual(timed, own);
  timeRouteOf(request);
  assert.equal(context.onRequest[0], timed);
  assert.equal(timed({ raw: {} }, 'reply', own), 1);
  assert.deepEqual(calls, [[{ raw: {} }, 'reply', own]]);
});

it('other or missing router results are returned unchanged', () => {
  class Router {
    found: unknown = null;
    find(): unknown {
      return this.found;
    }
  }
  const undo = watchRoutes(Router.prototype);
  for (const found of [null, undefined, { store: null }, { store: 7 }, { store: { onRequest: 'text' } }]) {
    const router = Object.assign(new Router(), { found });
    assert.equal(router.find(), found);
  }
  undo?.();
});
