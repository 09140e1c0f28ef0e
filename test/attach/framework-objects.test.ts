import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';

import { dump, renderSnapshotLine } from '#core/dump';
import { createApp } from '#framework/app';

/** Nest exports the class of its execution contexts only from this file. */
const nest = createRequire(import.meta.url)('@nestjs/core/helpers/execution-context-host') as {
  readonly ExecutionContextHost: new (
    args: unknown[],
    owner: Function,
    handler: Function,
  ) => { setType(type: string): void };
};

const lineOf = (value: unknown): string => renderSnapshotLine(dump(value));

/** The arguments of each framework's handlers, formatted like local variables. */
describe('the objects that frameworks pass to handlers are shown by their request', () => {
  it('in Hono: the context has its variables, and secrets in the address are hidden', async () => {
    const app = new Hono<{ Variables: { user: { id: number } } }>();
    const seen: string[] = [];
    app.use(async (context, next) => {
      seen.push(lineOf(context));
      context.set('user', { id: 7 });
      await next();
    });
    app.get('/products/:id', (context) => {
      seen.push(lineOf(context));
      return context.text('done');
    });
    await app.request('/products/9?token=hunter2hunter2');
    assert.deepEqual(seen, [
      'GET http://localhost/products/9?token=[redacted]',
      'GET http://localhost/products/9?token=[redacted] { var: { user: { id: 7 } } }',
    ]);
  });

  it('as their application, on one line', async () => {
    const hono = new Hono();
    hono.get('/a', (context) => context.text('a'));
    assert.equal(lineOf(hono), 'Hono application · 1 route');
    const koa = new Koa();
    koa.use(() => undefined).use(() => undefined);
    assert.equal(lineOf(koa), 'Koa application · 2 middleware');
    const app = fastify();
    let inner = '';
    await app.register(async (plugin) => void (inner = lineOf(plugin)));
    assert.deepEqual([lineOf(app), inner], ['Fastify application', 'Fastify application']);
    assert.equal(
      lineOf(createApp({ configuration: { env: 'test', profilerStore: 'off' } })),
      'lookback application',
    );
    assert.equal(lineOf({ kernel: 'popcorn', extensions: 2 }), '{ kernel: "popcorn", extensions: 2 }');
    class Application {
      readonly name = 'loan';
    }
    assert.equal(lineOf(new Application()), 'Application { name: "loan" }');
  });

  it('in Koa: the context, the request and the response', async () => {
    const app = new Koa();
    let seen: string[] = [];
    app.use((context) => {
      seen = [context, context.request, context.response].map(lineOf);
      context.body = 'done';
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    await fetch(`http://127.0.0.1:${address.port}/orders?page=2`);
    server.close();
    server.closeAllConnections();
    const request = 'GET /orders · no body { query: { page: "2" } }';
    assert.deepEqual(seen, [request, request, 'status 404 · not ended yet']);
  });

  it('in Fastify and Nest: the request, the reply, and the method of an execution context', async () => {
    const app = fastify();
    let seen: string[] = [];
    app.post('/orders/:id', async (request, reply) => {
      class Orders {
        pay(): void {}
      }
      const context = new nest.ExecutionContextHost([request, reply], Orders, Orders.prototype.pay);
      context.setType('http');
      const message = new nest.ExecutionContextHost(['paid'], Orders, Orders.prototype.pay);
      message.setType('rpc');
      seen = [request, reply, context, message].map(lineOf);
      return 'done';
    });
    await app.inject({ method: 'POST', url: '/orders/3', payload: { amount: 1 } });
    await app.close();
    const members = '{ params: { id: "3" }, body: { amount: 1 } }';
    assert.deepEqual(seen, [
      `POST /orders/3 ${members}`,
      'status 200 · not ended yet',
      `Orders.pay · POST /orders/3 ${members}`,
      'Orders.pay · rpc { args: Array(1) [ "paid" ] }',
    ]);
  });
});
