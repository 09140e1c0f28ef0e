import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import * as attached from '../../src/attach.js';
import * as configuration from '../../src/configuration.js';
import * as controllers from '../../src/controller.js';
import * as express from '../../src/express.js';
import * as fastify from '../../src/fastify.js';
import * as h3 from '../../src/h3.js';
import * as hono from '../../src/hono.js';
import * as root from '../../src/index.js';
import * as instrumentation from '../../src/instrumentation.js';
import * as koa from '../../src/koa.js';
import * as locales from '../../src/locale.js';
import * as mcp from '../../src/mcp.js';
import * as nest from '../../src/nest.js';
import * as openapi from '../../src/openapi.js';
import * as persistence from '../../src/persistence.js';
import * as profiling from '../../src/profiler.js';
import * as routing from '../../src/routing.js';
import * as security from '../../src/security.js';
import * as testing from '../../src/testing.js';
import * as web from '../../src/web.js';

const entries: Readonly<Record<string, object>> = {
  lookback: root,
  attach: attached,
  configuration,
  controller: controllers,
  express,
  fastify,
  h3,
  hono,
  instrumentation,
  koa,
  locale: locales,
  mcp,
  nest,
  openapi,
  persistence,
  profiler: profiling,
  routing,
  security,
  testing,
  web,
};

/** Exported functions that do not check their arguments, with the reason. */
const unchecked = new Map<string, string>([
  ['lookback.findRouteSchemas', 'for each route'],
  ['lookback.isErrorPreview', 'for each response'],
  ['controller.isChosen', 'for each field'],
  ['controller.readContent', 'for each request'],
  ['controller.requireContent', 'for each request'],
  ['controller.requireRouteParameters', 'by the application, when a route is added'],
  ['controller.resolveArguments', 'for each request'],
  ['controller.resolveController', 'for each request'],
  ['instrumentation.recordQuery', 'for each query'],
  ['profiler.addToolbar', 'for each page'],
  ['profiler.beginToolbar', 'for each page'],
  ['profiler.adoptTrace', 'for each request'],
  ['profiler.breakdownOf', 'for each record'],
  ['profiler.durationQuantile', 'for each route'],
  ['profiler.findingsOf', 'for each record'],
  ['profiler.hasToolbar', 'for each page'],
  ['profiler.headerCallerOf', 'for each record'],
  ['profiler.isNearbyAddress', 'for each request'],
  ['profiler.nextSpan', 'for each call'],
  ['profiler.noteHeaderWrite', 'for each field'],
  ['profiler.parseQuery', 'for each query'],
  ['profiler.parseSort', 'for each query'],
  ['profiler.parseTraceparent', 'for each request'],
  ['profiler.problemsOf', 'for each record'],
  ['profiler.readPage', 'for each page'],
  ['profiler.recordFields', 'for each redirect'],
  ['profiler.registerSpan', 'data from instrumentations'],
  ['profiler.renderTraceparent', 'for each call'],
  ['profiler.replayRequest', 'for each request'],
  ['profiler.signSample', 'for each request'],
  ['profiler.traceOf', 'for each request'],
  ['profiler.withSpan', 'for each span'],
  ['routing.decodePath', 'for each request'],
  ['routing.encodePath', 'for each URL'],
  ['routing.explainMatch', 'for each record'],
  ['routing.matchRoute', 'for each request'],
  ['routing.parseBasePath', 'for each URL'],
  ['routing.withoutBasePath', 'for each request'],
  ['security.failureResponse', 'for each failure'],
]);

const wrongValues: readonly (readonly [words: string, value: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 5],
  ['a text', 'x'],
  ['an empty object', {}],
];

/** The built-in error that a call throws, or that its promise is rejected with; undefined for coded and other errors. */
async function rawErrorOf(call: () => unknown): Promise<unknown> {
  try {
    const made: unknown = await call();
    if (typeof made === 'object' && made !== null && 'close' in made && typeof made.close === 'function')
      await Promise.resolve(Reflect.apply(made.close, made, []));
    return undefined;
  } catch (error) {
    const isBuiltIn = error instanceof TypeError || error instanceof RangeError;
    return isBuiltIn && !isCodedError(error) ? error : undefined;
  }
}

const isClass = (value: object): boolean => /^class\b/.test(Function.prototype.toString.call(value));

const functions = Object.entries(entries).flatMap(([entry, exported]) =>
  Object.entries(exported)
    .filter((pair): pair is [string, (...values: unknown[]) => unknown] => typeof pair[1] === 'function')
    .filter(([, value]) => !isClass(value))
    .map(([name, call]) => ({ name: `${entry}.${name}`, call })),
);

describe('a wrong argument of an exported function', () => {
  for (const { name, call } of functions) {
    if (unchecked.has(name)) continue;
    it(`of ${name}() leads to an error with a code, or to none`, async () => {
      for (const [words, value] of wrongValues)
        for (const given of [[value], [value, value]])
          assert.equal(
            await rawErrorOf(() => call(...given)),
            undefined,
            `${words}, passed ${given.length}×`,
          );
    });
  }

  it('is excused only for functions that are exported', () => {
    const names = new Set(functions.map(({ name }) => name));
    assert.deepEqual(
      [...unchecked.keys()].filter((name) => !names.has(name)),
      [],
    );
  });
});
