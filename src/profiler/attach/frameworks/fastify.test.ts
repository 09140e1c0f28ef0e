import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCopyWatch, timeRouteOf, watchRoutes } from './fastify.js';

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

it('the copy of Fastify that created an instance is watched if its version is supported, until restored', () => {
  class Reply {
    send(): string {
      return 'sent';
    }
  }
  class OwnReply extends Reply {}
  class Router {
    find(): null {
      return null;
    }
  }
  const methods = (): readonly unknown[] => [
    Reflect.get(Reply.prototype, 'send'),
    Reflect.get(Router.prototype, 'find'),
  ];
  const instanceOf = (version: unknown): object => ({
    version,
    [Symbol('fastify.Reply')]: OwnReply,
    [Symbol('fastify.404')]: { router: new Router() },
  });
  const former = methods();
  const copies = createCopyWatch((version) => version.startsWith('5.'));
  for (const version of ['4.0.0', undefined]) copies.watch(instanceOf(version));
  assert.deepEqual(methods(), former);
  for (const version of ['5.0.0', '5.0.0']) copies.watch(instanceOf(version));
  const watched = methods();
  for (const at of [0, 1]) assert.notEqual(watched[at], former[at]);
  copies.restore();
  assert.deepEqual(methods(), former);
  copies.watch(instanceOf('5.0.0'));
  assert.notDeepEqual(methods(), former, 'a restored watch can begin again');
  copies.restore();
  assert.deepEqual(methods(), former);
});
