import 'reflect-metadata';
import assert from 'node:assert/strict';
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type * as express from 'express';
import Fastify from 'fastify';
import { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import { Hono } from 'hono';
import { getRequestListener } from '@hono/node-server';
import Koa from 'koa';
import { attach, type AttachOptions } from 'lookback/attach';
import { lookback as forExpress } from 'lookback/express';
import { lookback as forFastify } from 'lookback/fastify';
import { lookback as forH3 } from 'lookback/h3';
import { lookback as forHono } from 'lookback/hono';
import { lookback as forKoa } from 'lookback/koa';
import { LookbackModule } from 'lookback/nest';
import { createApp } from 'lookback';
import type { Section } from 'lookback/profiler';
import { until } from '../until.js';
import type { RunningApp } from './contract.js';
import { listenOn } from './apps/listen.js';
import { startProgram } from './flagged-program.js';

// Failures inside the profiler never affect the application: no 500, no crash, and one line on stderr. Wrong option values are refused when
// the profiler is attached, before any request.

const load = createRequire(import.meta.url);

type Start = (options: AttachOptions, parts: ServerParts) => Promise<RunningApp>;
type ServerParts = Pick<Parameters<typeof createServer>[0] & object, 'IncomingMessage' | 'ServerResponse'>;

const serve = (
  handler: RequestListener,
  parts: ServerParts,
  close: () => Promise<void>,
): Promise<RunningApp> => listenOn(createServer(parts, handler), close);

const adapters: Readonly<Record<string, Start>> = {
  attach(options, parts) {
    const server: Server = createServer(parts, (_request, response) => response.end('hi'));
    const attached = attach(server, options);
    return listenOn(server, () => attached.close());
  },
  async Express(options, parts) {
    const app = (load('express') as () => express.Express)();
    const middleware = forExpress(options);
    // Express replaces the prototypes of request and response.
    app.use((request, response, next) => {
      if (parts.IncomingMessage !== undefined)
        Object.defineProperty(request, 'httpVersion', {
          get: () => (isReadByUs() ? failing('opening') : '1.1'),
        });
      if (parts.ServerResponse !== undefined) Object.defineProperty(response, 'writableFinished', unreadable);
      next();
    });
    app.use(middleware);
    app.get('/', (_request, response) => void response.send('hi'));
    return serve(app, parts, () => middleware.close());
  },
  async Koa(options, parts) {
    const app = new Koa();
    const middleware = forKoa(options);
    app.use(middleware);
    app.use((context) => void (context.body = 'hi'));
    return serve(app.callback(), parts, () => middleware.close());
  },
  async Hono(options, parts) {
    const app = new Hono();
    const middleware = forHono(options);
    app.use(middleware);
    app.get('/', (context) => context.text('hi'));
    return serve(getRequestListener(app.fetch), parts, () => middleware.close());
  },
  async h3(options, parts) {
    const app = new H3();
    const middleware = forH3(options);
    app.use(middleware);
    app.get('/', () => 'hi');
    return serve(toNodeHandler(app), parts, () => middleware.close());
  },
  async Fastify(options, parts) {
    const app = Fastify({ serverFactory: (handler) => createServer(parts, handler) });
    app.register(forFastify(options));
    app.get('/', async () => 'hi');
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as { port: number }; // it listens on a port
    return { port, close: () => app.close() };
  },
  async Nest(options, parts) {
    class HelloController {
      hello(): string {
        return 'hi';
      }
    }
    Controller()(HelloController);
    const hello = Object.getOwnPropertyDescriptor(HelloController.prototype, 'hello');
    assert.ok(hello);
    Get()(HelloController.prototype, 'hello', hello);
    class AppModule {}
    Module({ imports: [LookbackModule.forRoot(options)], controllers: [HelloController] })(AppModule);
    const adapter = new FastifyAdapter({
      serverFactory: (handler: RequestListener) => createServer(parts, handler),
    });
    const app = await NestFactory.create(AppModule, adapter, { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as { port: number }; // it listens on a port
    return { port, close: () => app.close() };
  },
  /** Only the options that `createApp` shares with the others. */
  async createApp({ store = 'memory:', sections = [] }) {
    const app = createApp({
      configuration: { env: 'dev', debug: true, profilerStore: store },
      profiler: { sections },
    });
    app.get('/', () => 'hi');
    const { port } = await app.listen({ port: 0 });
    return { port, close: () => app.close() };
  },
};
/** Failures in parts that only `createApp` creates, or that appear only when the server is called. */
const notInApp: ReadonlySet<string> = new Set(['assembling', 'opening', 'closing']);

const creations: Readonly<Record<string, (options: AttachOptions) => unknown>> = {
  attach: (options) => attach(createServer(), options),
  Express: forExpress,
  Koa: forKoa,
  Hono: forHono,
  h3: forH3,
  Fastify: (options) => forFastify(options),
  Nest: (options) => LookbackModule.forRoot(options),
};

const wrong: readonly (readonly [option: string, value: unknown, takes: RegExp])[] = [
  ['sample', { rate: 10 }, /from 0 to 1/],
  ['sample', { rate: '0.5' }, /from 0 to 1/],
  ['sample', { rate: Number.NaN }, /from 0 to 1/],
  ['sample', { slowMs: '1s' }, /milliseconds/],
  ['sample', { secret: 'short' }, /32 characters/],
  ['sample', 0.1, /object/],
  ['sections', [null], /id, title, group/],
  ['sections', {}, /list of sections/],
  ['sections', [{ title: 'X' }], /lowercase letters, digits and hyphens/],
  ['sections', [{ id: 'My flags' }], /lowercase letters, digits and hyphens/],
  ['sections', [{ id: 'x' }, { id: 'y' }, { id: 'x' }], /an id that no other section of the list has/],
  ['sections', [{ id: 'x', collect: 'y' }], /a function/],
  ['sections', [{ id: 'x', panel: {} }], /a show method/],
  ['budgets', null, /budget for each route/],
  ['budgets', { '*': 5 }, /durationMs, bytes, queries/],
  ['budgets', { '*': { queries: '5' } }, /number of at least 0/],
  ['budgets', { '*': { query: 5 } }, /durationMs, bytes, queries/],
  ['prefix', 'debug', /begins with a slash/],
  ['prefix', '/debug/', /does not end with one/],
  ['prefix', '/', /begins with a slash/],
  ['store', 'sqlite', /sqlite:PATH/],
  ['store', 'mysql://me:s3cr3t@host/x', /sqlite:PATH/],
  ['store', 5, /sqlite:PATH/],
  ['retention', { records: -1 }, /number of at least 1/],
  ['retention', { ageDays: '1d' }, /days/],
  ['retention', { count: 5 }, /records, failures, ageDays, bytes/],
  ['access', { peers: ['nonsense'] }, /an address or a network/],
  ['access', { hosts: ['http://a.test'] }, /a host name/],
  ['access', { origins: ['localhost:5173'] }, /an origin/],
  ['access', { host: ['a.test'] }, /hosts, peers, origins/],
  ['trustedProxies', 'loopback', /an address or a network/],
  ['bodyTypes', 'text/html', /a list, each a string/],
  ['editor', 'nonsense', /an editor/],
  ['enabled', 'yes', /true or false/],
  ['bodies', 1, /true or false/],
];

describe('a wrong value of an option', () => {
  for (const [name, create] of Object.entries(creations))
    it(`is refused by ${name} at creation, with the option's name and allowed values`, () => {
      for (const [option, value, takes] of wrong)
        assert.throws(
          () => create({ store: 'memory:', [option]: value }),
          (error: Error & { code?: string; fix?: string }) => {
            const where = `${option} ${JSON.stringify(value)}: ${error.message} ${error.fix}`;
            assert.match(error.code ?? '', /^OPTIONS_(?:BAD_VALUE|NOT_AN_OBJECT|UNKNOWN)$/, where);
            assert.ok(error.message.includes(option), where);
            assert.match(error.fix ?? '', takes, where);
            assert.doesNotMatch(error.message, /s3cr3t/);
            return true;
          },
          `${option} ${JSON.stringify(value)}`,
        );
    });

  it('is refused by createApp as well', () => {
    for (const [option, value] of wrong)
      if (['sample', 'sections', 'budgets', 'bodyTypes'].includes(option))
        assert.throws(
          () => createApp({ configuration: { profilerStore: 'memory:' }, profiler: { [option]: value } }),
          (error: Error & { code?: string }) => error.code?.startsWith('OPTIONS_') === true,
          `${option} ${JSON.stringify(value)}`,
        );
  });
});

/** Whether the package's own code reads a property, rather than Node or a framework. */
const isReadByUs = (): boolean => /\/dist\/bundle\//.test(new Error().stack?.split('\n')[3] ?? '');

/** Keyed by request, because Node sets the property while it creates the request. */
const versions = new WeakMap<object, string>();

class UnreadableRequest extends IncomingMessage {
  // @ts-expect-error -- declared as a property
  override get httpVersion(): string {
    if (isReadByUs()) throw new Error('opening');
    return versions.get(this) ?? '';
  }
  override set httpVersion(version: string) {
    versions.set(this, version);
  }
}

const unreadable = {
  get(): boolean {
    if (isReadByUs()) throw new Error('closing');
    return true;
  },
};

class UnreadableResponse extends ServerResponse {}
Object.defineProperty(UnreadableResponse.prototype, 'writableFinished', unreadable);

const section = (more: Partial<Section>): Section => ({ id: 'own', collect: () => ({ a: 1 }), ...more });
const failing = (what: string): never => {
  throw new Error(what);
};

const failures: Readonly<Record<string, { options?: AttachOptions; parts?: ServerParts }>> = {
  assembling: {
    options: {
      sections: [
        section({
          numbers: {
            n: Object.defineProperty({ of: () => 1 }, 'kind', { get: () => failing('assembling') }) as never,
          },
        }), // it has no kind
      ],
    },
  },
  opening: { parts: { IncomingMessage: UnreadableRequest as never } }, // a subclass of Node's own class, according to its types
  collecting: { options: { sections: [section({ collect: () => failing('collecting') })] } },
  completing: {
    options: {
      sections: [
        section({
          timeline: () => failing('completing'),
          numbers: { n: { kind: 'count', of: () => failing('completing') } },
        }),
      ],
    },
  },
  closing: { parts: { ServerResponse: UnreadableResponse as never } }, // as above
};

describe('a failure inside the profiler', () => {
  const printed: string[] = [];
  const uncaught: unknown[] = [];
  const { write } = process.stderr;
  const note = (error: unknown): void => void uncaught.push(error);
  before(() => {
    process.on('uncaughtException', note);
    process.stderr.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  });
  after(() => {
    process.off('uncaughtException', note);
    process.stderr.write = write;
  });

  for (const [name, start] of Object.entries(adapters)) {
    for (const [failure, { options = {}, parts = {} }] of Object.entries(failures)) {
      if (name === 'createApp' && notInApp.has(failure)) continue;
      it(`affects no request to ${name}, and is reported once: ${failure}`, async () => {
        printed.length = uncaught.length = 0;
        const app = await start({ store: 'memory:', enabled: true, ...options }, parts);
        const said = (): string[] => printed.filter((line) => line.includes(failure));
        try {
          for (let count = 0; count < 3; count++) {
            const answer = await fetch(`http://127.0.0.1:${app.port}/`);
            assert.equal(answer.status, 200);
            assert.equal(await answer.text(), 'hi');
          }
          await until(
            () => said().length > 0,
            () => printed.join(''),
          );
        } finally {
          await app.close();
        }
        assert.deepEqual(uncaught, []);
        assert.equal(said().length, 1, printed.join(''));
        assert.match(
          said()[0] ?? '',
          name === 'createApp'
            ? /The profiler failed; the request was not affected/
            : /^lookback: The profiler failed; the request was not affected: /,
        );
      });
    }

    it(`affects no request to ${name}: a store that cannot be opened`, async () => {
      printed.length = uncaught.length = 0;
      const app = await start({ store: `sqlite:${process.execPath}/none.db`, enabled: true }, {});
      try {
        for (let count = 0; count < 3; count++)
          assert.equal(await (await fetch(`http://127.0.0.1:${app.port}/`)).text(), 'hi');
        await until(
          () => printed.some((line) => line.includes('PROFILER_STORE')),
          () => printed.join(''),
        );
      } finally {
        await app.close();
      }
      assert.deepEqual(uncaught, []);
    });

    it(`affects neither a request to ${name} nor the record page: findings and a panel that throw`, async () => {
      printed.length = uncaught.length = 0;
      const own = section({ findings: () => failing('finding'), panel: { show: () => failing('showing') } });
      const app = await start({ store: 'memory:', enabled: true, sections: [own] }, {});
      try {
        const answer = await fetch(`http://127.0.0.1:${app.port}/`);
        assert.equal(await answer.text(), 'hi');
        const token = answer.headers.get('x-debug-token') ?? '';
        for (const page of ['', '?panel=own']) {
          const shown = await fetch(`http://127.0.0.1:${app.port}/_profiler/${token}${page}`);
          const html = await shown.text();
          assert.equal(shown.status, 200, html);
          if (page !== '') assert.match(html, /failed on this record/, 'the panel reports its own failure');
        }
        assert.equal(await (await fetch(`http://127.0.0.1:${app.port}/`)).text(), 'hi');
      } finally {
        await app.close();
      }
      assert.deepEqual(uncaught, []);
    });
  }

  it('affects no request to a program with the flag: errors while opening, while closing, and a store that cannot be opened', async () => {
    const text = `
      import { createServer, IncomingMessage, ServerResponse } from 'node:http';
      const isReadByUs = () => new Error().stack.split('\\n').slice(3).some((line) => line.includes('/dist/bundle/'));
      let count = 0;
      class UnreadableRequest extends IncomingMessage {
        get httpVersion() { if (this.url === '/opening' && isReadByUs()) throw new Error('opening'); return '1.1'; }
        set httpVersion(_) {}
      }
      class UnreadableResponse extends ServerResponse {}
      Object.defineProperty(UnreadableResponse.prototype, 'writableFinished', {
        get() { if (this.req.url === '/closing' && isReadByUs()) throw new Error('closing'); return true; },
      });
      process.on('uncaughtException', () => process.exit(1));
      createServer({ IncomingMessage: UnreadableRequest, ServerResponse: UnreadableResponse }, (_, response) =>
        response.end('hi ' + ++count),
      ).listen(Number(process.env.PORT), '127.0.0.1', () => process.send('listening'));`;
    for (const [store, failures] of [
      ['memory:', [/not affected: .*opening/, /not affected: .*closing/]],
      [`sqlite:${process.execPath}/none.db`, [/PROFILER_STORE/]],
    ] as const) {
      const program = await startProgram({ name: 'failing.mjs', text }, { isFlagged: true, store });
      try {
        for (const [at, path] of ['/opening', '/closing', '/', '/opening', '/closing'].entries())
          assert.equal((await program.ask(path)).text, `hi ${at + 1}`);
        for (const failure of failures) await until(() => failure.test(program.stderr()), program.stderr);
        assert.equal((await program.ask('/')).text, 'hi 6');
      } finally {
        await program.close();
      }
    }
  });
});
