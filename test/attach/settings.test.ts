import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it } from 'node:test';
import createExpress from 'express';
import fc from 'fast-check';
import createFastify from 'fastify';
import { attach } from '#profiler/attach';
import { readConfiguration } from '#framework/app';
import * as express from '../../src/profiler/attach/express.js';
import * as fastify from '../../src/profiler/attach/fastify.js';
import * as h3 from '../../src/profiler/attach/h3.js';
import * as hono from '../../src/profiler/attach/hono.js';
import * as koa from '../../src/profiler/attach/koa.js';
import { LookbackModule } from '../../src/profiler/attach/nest.js';
import { readSettings } from '../../src/profiler/attach/watch/attach-options.js';
import { listenOn } from './apps/listen.js';

const shared = [
  'LOOKBACK_IDE',
  'LOOKBACK_LOCALS',
  'LOOKBACK_TOOLBAR',
  'PROFILER_IGNORE',
  'PROFILER_MAX_AGE_DAYS',
  'PROFILER_MAX_BYTES',
  'PROFILER_MAX_FAILURES',
  'PROFILER_MAX_RECORDS',
  'PROFILER_SAMPLE',
  'PROFILER_SAMPLE_SECRET',
] as const;
const value = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '',
    '0',
    '1',
    '0.5',
    '2',
    '5%',
    ' 20 ',
    '1048576',
    '/a, GET /b*',
    'on',
    'off',
    'x'.repeat(32),
  ),
);

it('profiler variables have the same meaning, defaults and checks for attached servers and for applications', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...shared), value, { maxKeys: 4 }), (variables) => {
      const read = (
        from: () => ReturnType<typeof readSettings> | ReturnType<typeof readConfiguration>,
      ): unknown => {
        try {
          const { sample, ignore, retention, editor, toolbar, locals } = from();
          return { sample, ignore, retention, editor, toolbar, locals };
        } catch (error) {
          return String(error);
        }
      };
      assert.deepEqual(
        read(() => readSettings({}, variables)),
        read(() => readConfiguration(variables)),
      );
    }),
  );
  assert.equal(readSettings({}, {}).retention.records, 10_000);
});

it('an attached server shows its record limits on its pages, and reads them from PROFILER_MAX_RECORDS', async () => {
  process.env['PROFILER_MAX_RECORDS'] = '1234';
  try {
    const server = createServer((_request, response) => response.end('Hello'));
    const attached = attach(server, { store: 'memory:', retention: { ageDays: 1 } });
    const { port, close } = await listenOn(server, () => attached.close());
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      const page = await (await fetch(`http://127.0.0.1:${port}/_profiler/`)).text();
      assert.match(page, /1,234 records/);
    } finally {
      await close();
    }
  } finally {
    delete process.env['PROFILER_MAX_RECORDS'];
  }
});

it('options that throw when they are read are refused with OPTIONS_UNREADABLE by attach and every adapter', async () => {
  const thrown = new Error('of the application');
  const refuse = (): never => {
    throw thrown;
  };
  const traps = [
    'get',
    'has',
    'ownKeys',
    'getPrototypeOf',
    'getOwnPropertyDescriptor',
  ] as const satisfies readonly (keyof ProxyHandler<object>)[];
  const allTraps = Object.fromEntries(traps.map((trap) => [trap, refuse]));
  let reads = 0;
  const hostile: readonly (readonly [name: string, create: () => object])[] = [
    ['every trap', () => new Proxy({}, allTraps)],
    ...(['get', 'ownKeys', 'getPrototypeOf'] as const).map(
      (trap) => [trap, () => new Proxy({}, { [trap]: refuse })] as const,
    ),
    ['a getter', () => Object.defineProperty({}, 'store', { get: refuse, enumerable: true })],
    [
      'a getter that throws from its second call on',
      () => (
        (reads = 0),
        Object.defineProperty({}, 'store', { get: () => (reads++ > 0 ? refuse() : 'off') })
      ),
    ],
    ['a nested getter', () => ({ access: Object.defineProperty({}, 'peers', { get: refuse }) })],
  ];
  const entries: readonly (readonly [name: string, use: (options: object) => unknown])[] = [
    ['attach', (options) => attach(createServer(), options)],
    ['express', express.lookback],
    ['koa', koa.lookback],
    ['hono', hono.lookback],
    ['h3', h3.lookback],
    ['fastify', (options) => fastify.lookback(options)],
    ['fastify, registered', (options) => createFastify().register(fastify.lookback, options).ready()],
    ['nest', (options) => LookbackModule.forRoot(options)],
  ];
  for (const [entry, use] of entries)
    for (const [name, create] of hostile)
      await assert.rejects(
        async () => use(create()),
        { code: 'OPTIONS_UNREADABLE', cause: thrown },
        `${entry}: ${name}`,
      );
});

it('options changed after a middleware is created have no effect on it', async () => {
  const options: { store: string; prefix?: string } = { store: 'memory:' };
  const middleware = express.lookback(options);
  options.prefix = 'no path';
  const app = createExpress().use(middleware);
  const { port, close } = await listenOn(createServer(app), () => middleware.close());
  try {
    assert.equal((await fetch(`http://127.0.0.1:${port}/_profiler/`)).status, 200);
  } finally {
    await close();
  }
});
