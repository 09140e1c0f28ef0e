import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, get, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { Redis } from 'ioredis';
import Koa from 'koa';
import mysql from 'mysql2';
import pg from 'pg';
import { createApp } from '#framework/app';
import { dump, renderSnapshotLine } from '../../src/core/dump.js';
import { withoutMarks } from '../without-marks.js';

/** Express 4 comes without types. */
const express4 = createRequire(import.meta.url)('express4') as typeof express; // as far as is used

const line = (value: unknown): string => renderSnapshotLine(dump(value), 300);

async function serve(server: Server, visit: (base: string) => Promise<unknown>): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // a server on a port has one
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const posted = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1,"password":"p"}',
};

describe('dumped requests and responses', () => {
  for (const [name, make] of [
    ['Express 5', express],
    ['Express 4', express4],
  ] as const)
    it(`of ${name} are one line with their parameters, without Node's fields`, async () => {
      const app = make();
      const lines: string[] = [];
      app.use(make.json());
      app.post('/orders/:id/:token', (request, response) => {
        Object.assign(request, { user: { id: 3, password: 'hunter2' } });
        lines.push(line(request), line(response), line(request.socket));
        response.status(201).send('x');
        lines.push(line(response));
      });
      await serve(createServer(app), async (base) => {
        await (await fetch(`${base}/orders/7/s3cr3tTokenValue?page=2&key=AKIA123456`, posted)).text();
      });
      assert.deepEqual(lines.map(withoutMarks), [
        'POST /orders/7/[redacted] { params: { id: "7", token: [redacted] }, query: { page: "2", key: "[redacted]" }, ' +
          'body: { a: 1, password: [redacted] }, user: { id: 3, password: [redacted] } }',
        'status 200 · not ended yet',
        'Socket',
        'status 201 · ended',
      ]);
    });

  it('of Fastify, Koa and lookback are one line', async () => {
    const lines: string[] = [];
    const fast = fastify();
    fast.post('/f/:id', async (request, reply) => {
      lines.push(line(request), line(reply));
      return 'x';
    });
    await fast.inject({ method: 'POST', url: '/f/1?page=2', payload: { a: 1 } });
    await fast.close();
    const koa = new Koa();
    koa.use((context) => {
      context.state['user'] = { id: 1 };
      lines.push(line(context), line(context.request), line(context.response));
      context.body = 'x';
    });
    await serve(createServer(koa.callback()), async (base) => (await fetch(`${base}/k?page=2`)).text());
    const app = createApp({ configuration: { env: 'test', profilerStore: 'off' }, logHandlers: [] });
    app.get('/l', ({ request }) => {
      lines.push(line(request));
      return 'x';
    });
    await app.fetch('/l?page=2');
    await app.close();
    assert.deepEqual(lines, [
      'POST /f/1 { params: { id: "1" }, query: { page: "2" }, body: { a: 1 } }',
      'status 200 · not ended yet',
      'GET /k · no body { query: { page: "2" }, state: { user: { id: 1 } } }',
      'GET /k · no body { query: { page: "2" } }',
      'status 404 · not ended yet',
      'GET /l { query: { page: "2" } }',
    ]);
  });

  it('of clients name their URL, and their status once there is one', async () => {
    const server = createServer((_request, response) => response.writeHead(402).end('x'));
    await serve(server, async (base) => {
      const answer = await fetch(`${base}/pay?token=s3cr3tTokenValue`);
      const before = line(answer);
      await answer.text();
      assert.equal(
        withoutMarks(before),
        `402 Payment Required · ${base}/pay?token=[redacted] · body not read`,
      );
      assert.equal(
        withoutMarks(line(answer)),
        `402 Payment Required · ${base}/pay?token=[redacted] · body read`,
      );
      assert.equal(line(new Request(`${base}/pay`, { method: 'PUT', body: 'x' })), `PUT ${base}/pay`);
      assert.equal(line(new Response('x')), '200 · body not read');
      const asked = get(`${base}/pay`);
      const [message] = (await once(asked, 'response')) as [IncomingMessage]; // of this event
      assert.equal(line(asked), 'GET /pay · to 127.0.0.1');
      assert.equal(line(message), '402 Payment Required · GET /pay · to 127.0.0.1');
      message.resume();
    });
  });
});

describe('dumped database clients', () => {
  it('name their server and how busy they are, without passwords', async () => {
    const server = { host: 'db.test', port: 5432, user: 'shop', password: 'hunter2', database: 'shop' };
    assert.equal(line(new pg.Client(server)), 'PostgreSQL client · shop on db.test:5432 · not connected');
    assert.equal(
      line(new pg.Pool({ ...server, max: 4 })),
      'PostgreSQL pool · shop on db.test:5432 · 0 of 4 in use',
    );
    const pool = mysql.createPool({ ...server, port: 3306 });
    assert.equal(line(pool), 'MySQL pool · shop on db.test:3306');
    assert.equal(line(pool.promise()), 'MySQL pool · shop on db.test:3306');
    const redis = new Redis({ host: 'cache.test', lazyConnect: true, password: 'hunter2' });
    assert.equal(line(redis), 'Redis client · cache.test:6379/0 · wait');
    redis.disconnect();
    await pool.promise().end();
  });
});

describe('dumped objects that look like requests', () => {
  it('run none of their getters', () => {
    let runs = 0;
    const count = (): string => {
      runs++;
      return 'GET';
    };
    for (const name of [
      'Request',
      'Response',
      'IncomingMessage',
      'ServerResponse',
      'Client',
      'Pool',
      'HttpRequest',
    ]) {
      const made = class {};
      Object.defineProperty(made, 'name', { value: name });
      for (const key of [
        'url',
        'method',
        'status',
        'statusCode',
        'raw',
        'source',
        'options',
        'config',
        'req',
        'res',
      ])
        Object.defineProperty(made.prototype, key, { get: count });
      assert.equal(line(new made()), `${name} {}`);
    }
    const reply = Object.create(ServerResponse.prototype, {
      statusCode: { get: count },
      req: { get: count },
    }) as object; // typed as any
    line(reply);
    const copy = class Response {
      get status(): string {
        return `webidl.brandCheck(this, ${count()})`;
      }
    };
    line(new copy());
    assert.equal(runs, 0);
  });

  it('are shown as proxies if they are proxies, and completely if they are plain objects', () => {
    assert.equal(line({ method: 'GET', url: '/a' }), '{ method: "GET", url: "/a" }');
    const app = Object.create({ named: 'kept' }, { a: { value: 1, enumerable: true } }) as object; // typed as any
    assert.equal(line(app), '{ a: 1 }');
    assert.equal(line(new Proxy(new Request('http://a.test/'), {})), '[Proxy]');
  });
});
