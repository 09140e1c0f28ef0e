import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import middie from '@fastify/middie';
import { type HttpBindings, getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { type App, createApp, HttpResponse } from 'lookback';
import { type NodeHandler, toNodeHandler } from 'lookback/attach';
import type { RunningApp } from './contract.js';
import { listen } from './apps/listen.js';
import { ask, wire } from './wire.js';

const load = createRequire(import.meta.url);
const express4 = load('express4') as typeof express; // untyped, of the same interface
const cors = load('cors') as (options: object) => express.RequestHandler; // untyped

const logged: string[] = [];

function mounted(): App {
  const app = createApp({
    configuration: { profilerStore: 'off' },
    logHandlers: [{ handle: ({ message }) => void logged.push(message) }],
  });
  app.post('/text', async ({ request }) => ({ read: await request.text() }));
  app.post('/json', async ({ request }) => ({ read: await request.json() }));
  app.post('/form', async ({ request }) => ({ read: (await request.form()).toRecord() }));
  app.post('/stream', async ({ request }) => ({ read: await text(request.openBody({ maxBytes: 1000 })) }));
  app.post('/unread', () => ({ read: 'nothing' }));
  app.get('/plain', () => HttpResponse.text('x'));
  app.get('/headers', () =>
    HttpResponse.text('x', {
      headers: {
        Vary: 'Accept-Language, origin',
        Link: '</b.css>; rel=preload',
        'Access-Control-Expose-Headers': 'X-B',
        'X-Own': 'app',
        Connection: 'close, X-Hop',
        'Keep-Alive': 'timeout=1',
      },
    })
      .setCookie('b', '2')
      .setCookie('c', '3'),
  );
  app.get('/wrong-length', () => new Response('four', { headers: { 'Content-Length': '2' } }));
  app.get('/null', () => new Response(null, { headers: { 'Content-Length': '20' } }));
  return app;
}

type Use = (handler: NodeHandler, parse: boolean) => Promise<RunningApp> | RunningApp;

/** Header fields set before lookback's handler, in each framework's way. */
const before = { cookie: 'a=1; Path=/', vary: 'Origin', link: '</a.css>; rel=preload' };
const setBefore: RequestListener = (_request, response) => {
  response.setHeader('Set-Cookie', before.cookie);
  response.setHeader('Vary', before.vary);
  response.setHeader('Link', before.link);
  response.setHeader('X-Own', 'server');
  response.setHeader('Access-Control-Expose-Headers', 'X-A, x-b');
};

const servers: Readonly<Record<string, Use>> = {
  'node:http': (handler, parse) =>
    listen((request, response) => {
      setBefore(request, response);
      if (!parse) handler(request, response);
      else void text(request).then(() => handler(request, response));
    }),
  'Express 5': (handler, parse) => {
    const server = express();
    server.use(
      (_request, response, next) => {
        setBefore(_request, response);
        response.removeHeader('Vary');
        next();
      },
      cors({ origin: 'https://ok.example', exposedHeaders: 'X-A, x-b' }),
    ); // sets Vary: Origin
    if (parse) server.use(express.text(), express.json(), express.urlencoded());
    return listen(server.use(handler));
  },
  'Express 4': (handler, parse) => {
    const server = express4();
    server.use((request, response, next) => {
      setBefore(request, response);
      next();
    });
    if (parse) server.use(express4.text(), express4.json(), express4.urlencoded({ extended: true }));
    return listen(server.use(handler));
  },
  Koa: (handler, parse) => {
    const server = new Koa();
    server.use(async (context, next) => {
      setBefore(context.req, context.res);
      if (parse) await text(context.req);
      await next();
    });
    server.use((context) => {
      context.respond = false;
      handler(context.req, context.res);
    });
    return listen(server.callback() as RequestListener); // returns a promise that the caller ignores
  },
  Fastify: async (handler, parse) => {
    const server = fastify();
    await server.register(middie);
    server.use((request, response, next) => {
      setBefore(request, response);
      next();
    });
    if (parse) {
      server.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string' },
        (_request, body, done) => done(null, body),
      );
      server.all('/*', (request, reply) => {
        reply.hijack();
        handler(request.raw, reply.raw);
      });
    } else server.use(handler);
    await server.listen({ port: 0, host: '127.0.0.1' });
    return { port: (server.server.address() as AddressInfo).port, close: async () => server.close() }; // it listens on a port
  },
  Hono: (handler, parse) => {
    const server = new Hono<{ Bindings: HttpBindings }>();
    server.all('/*', async (context) => {
      const { incoming, outgoing } = context.env;
      setBefore(incoming, outgoing);
      if (parse) await context.req.text();
      handler(incoming, outgoing);
      return RESPONSE_ALREADY_SENT;
    });
    return listen((request, response) => void getRequestListener(server.fetch)(request, response));
  },
  Nest: async (handler, parse) => {
    class Root {}
    Module({})(Root);
    const server = await NestFactory.create(Root, { logger: false });
    server.use((request: never, response: never, next: () => void) => {
      setBefore(request, response);
      next();
    });
    if (parse) server.use(express.text(), express.json(), express.urlencoded());
    server.use(handler);
    await server.listen(0, '127.0.0.1');
    const { port } = new URL(await server.getUrl());
    return { port: Number(port), close: async () => server.close() };
  },
};

const bodies: Readonly<Record<string, readonly [type: string, body: string, read: unknown]>> = {
  '/text': ['text/plain', 'seven77', 'seven77'],
  '/json': ['application/json', '{"a":1}', { a: 1 }],
  '/form': ['application/x-www-form-urlencoded', 'a=1&b=2', { a: '1', b: '2' }],
  '/stream': ['text/plain', 'streamed', 'streamed'],
};

async function post(
  port: number,
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; body: string }> {
  const [type, body] = bodies[path] ?? ['text/plain', 'unread'];
  const headers = { 'content-type': type, accept: 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body, ...init });
  return { status: answer.status, body: await answer.text() };
}

/** Checks that the response is the request body or, if it `wasRead` before, a logged error that says so. */
async function checkRead(port: number, path: string, wasRead: boolean): Promise<void> {
  logged.length = 0;
  const { status, body } = await post(port, path);
  if (!wasRead) {
    assert.deepEqual([status, JSON.parse(body)], [200, { read: bodies[path]?.[2] }], path);
    return;
  }
  assert.equal(status, 500, `${path} ${body}`);
  assert.match(body, /ATTACH_BODY_READ/);
  assert.match(
    logged.join('\n'),
    /handler before toNodeHandler\(\), such as express\.json\(\), has already read the body/,
  );
}

describe('a mounted application', () => {
  for (const [name, use] of Object.entries(servers)) {
    it(`keeps the header fields that earlier handlers have set, in ${name}`, async () => {
      const app = mounted();
      const server = await use(toNodeHandler(app), false);
      try {
        const answer = await wire(server.port, ask('GET', '/headers'));
        const values = (field: string): string[] =>
          [...answer.matchAll(new RegExp(`^${field}: (.*)\\r$`, 'gim'))].map(([, value = '']) => value);
        const cookies = values('set-cookie').map((cookie) => cookie.split(';')[0]);
        assert.deepEqual(cookies, ['a=1', 'b=2', 'c=3']);
        assert.deepEqual(values('vary'), ['Origin, Accept-Language']);
        assert.deepEqual(values('link'), [before.link, '</b.css>; rel=preload']);
        assert.equal(values('access-control-expose-headers').join(), 'X-A, x-b');
        assert.deepEqual(values('x-own'), ['app']);
        assert.doesNotMatch(answer, /X-Hop|timeout=1\r/);
        const missing = await wire(server.port, ask('GET', '/missing'));
        assert.match(missing, /^HTTP\/1\.1 404/);
        assert.match(missing, /^vary: Origin, Accept/im);
      } finally {
        await server.close();
        await app.close();
      }
    });

    it(`reads bodies, but reports one that was already read: in ${name}`, async () => {
      const app = mounted();
      for (const parse of [false, true]) {
        const server = await use(toNodeHandler(app), parse);
        try {
          for (const path of Object.keys(bodies)) await checkRead(server.port, path, parse);
          assert.deepEqual(await post(server.port, '/unread'), { status: 200, body: '{"read":"nothing"}' });
        } finally {
          await server.close();
        }
      }
      await app.close();
    });
  }

  it('reads a body that an earlier handler has read and put back, and refuses a partially read body', async () => {
    const app = mounted();
    const handler = toNodeHandler(app);
    let putsBack = true;
    const server = await listen((request, response) => {
      request.once('readable', () => {
        const chunk = request.read(3) as Buffer; // without an encoding, it reads bytes
        if (putsBack) request.unshift(chunk);
        handler(request, response);
      });
    });
    try {
      assert.deepEqual(await post(server.port, '/text'), { status: 200, body: '{"read":"seven77"}' });
      putsBack = false;
      const { status, body } = await post(server.port, '/text');
      assert.equal(status, 500);
      assert.match(body, /ATTACH_BODY_READ/);
    } finally {
      await server.close();
      await app.close();
    }
  });

  it('reads a chunked body, and reports one that was already read', async () => {
    const app = mounted();
    for (const name of ['node:http', 'Express 5'] as const)
      for (const parse of [false, true]) {
        const server = await servers[name]?.(toNodeHandler(app), parse);
        assert.ok(server !== undefined);
        const body = new Blob(['seven77']).stream();
        const answer = await post(server.port, '/text', { body, duplex: 'half' } as RequestInit); // its types lack `duplex`
        assert.equal(answer.status, parse ? 500 : 200, name);
        await server.close();
      }
    await app.close();
  });

  it('answers HTTP/2 with the header fields of earlier handlers, and reports a body that was already read', async () => {
    const app = mounted();
    const handler = toNodeHandler(app);
    const server = createHttp2Server((request, response) => {
      response.setHeader('Set-Cookie', before.cookie);
      response.setHeader('Vary', 'Origin');
      if (request.url === '/json') void text(request).then(() => handler(request, response));
      else handler(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // it listens on a port
    const send = async (method: string, path: string, body?: string) => {
      const stream = session.request({ ':method': method, ':path': path, accept: 'application/json' });
      stream.end(body);
      const [head] = (await once(stream, 'response')) as [Record<string, string | string[]>]; // the argument of the event
      return { head, body: await text(stream) };
    };
    try {
      const { head } = await send('GET', '/headers');
      assert.deepEqual([head['set-cookie']?.length, head['vary']], [3, 'Origin, Accept-Language']);
      assert.equal((await send('POST', '/text', 'two')).body, '{"read":"two"}');
      assert.equal((await send('POST', '/text')).body, '{"read":""}');
      const read = await send('POST', '/json', '{"a":1}');
      assert.equal(head[':status'], 200);
      assert.equal(read.head[':status'], 500);
      assert.match(read.body, /ATTACH_BODY_READ/);
    } finally {
      session.close();
      server.close();
      await app.close();
    }
  });

  it('cuts off a response that is longer than declared, and corrects the declared length of a response without a body', async () => {
    const app = mounted();
    const server = await listen(createServer(toNodeHandler(app)).listeners('request')[0] as RequestListener); // its only listener
    try {
      assert.doesNotMatch(await wire(server.port, ask('GET', '/wrong-length')), /four/);
      assert.match(await wire(server.port, ask('GET', '/null')), /Content-Length: 0\r\n/i);
    } finally {
      await server.close();
      await app.close();
    }
  });
});
