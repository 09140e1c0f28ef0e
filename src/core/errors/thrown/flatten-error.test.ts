import assert from 'node:assert/strict';
import fc from 'fast-check';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { NotFoundError, HttpError, isHttpError } from '../status/http-errors.js';
import { createSourceLoader } from '../source/create-source-loader.js';
import type { ErrorReport } from '../report/error-report.js';
import { flattenError, type FlattenOptions, walkChain } from './flatten-error.js';

const options: FlattenOptions = { libraryFolders: [], sources: createSourceLoader() };
const flatten = (thrown: unknown): ErrorReport => flattenError(thrown, options);

/** The guarantees that pages and records rely on: plain, complete, JSON-safe data. */
function assertReport(report: ErrorReport): void {
  assert.deepEqual(JSON.parse(JSON.stringify(report)), report);
  assert.ok(report.errors.length >= 1);
  for (const [index, error] of report.errors.entries()) {
    assert.equal(error.number, index + 1);
    assert.equal(error.isOuter, index === report.errors.length - 1);
    assert.equal(typeof error.message, 'string');
    assert.notEqual(error.class, '');
  }
}

function circular(): Error {
  const one = new Error('one');
  const two = new Error('two', { cause: one });
  Object.defineProperty(one, 'cause', { value: two });
  return two;
}

function chain(length: number): Error {
  let error = new Error('1');
  for (let number = 2; number <= length; number++) error = new Error(String(number), { cause: error });
  return error;
}

/** Assembled here, so that the source excerpt next to an error does not contain it. */
const canary = ['c4n', '4ry-1'].join('');

const trap = (): never => {
  throw new Error('trap ran');
};
const proxy = (target: object): object =>
  new Proxy(target, {
    get: trap,
    getPrototypeOf: trap,
    ownKeys: trap,
    has: trap,
    getOwnPropertyDescriptor: trap,
  });

describe('a thrown object that is not an error', () => {
  it('has its fields as its message, without secrets and bounded; a value without fields has none', () => {
    const messageOf = (thrown: unknown): string => flattenError(thrown).message;
    assert.equal(messageOf({ code: 7, password: canary }), '{ code: 7, password: [redacted] }');
    assert.equal(messageOf({ list: Array.from({ length: 200 }, () => 'x') }).length, 160);
    for (const thrown of [{}, 5, undefined, null, new Error(''), Object.assign(new Error(''), { code: 7 })])
      assert.equal(messageOf(thrown), '');
    assert.equal(messageOf({ message: 'full', code: 7 }), 'full');
  });
});

describe('any thrown value produces a complete report', () => {
  const getters = new Error('x');
  for (const key of ['stack', 'message', 'name', 'cause', 'code'])
    Object.defineProperty(getters, key, { get: trap });
  const hugeStack = new Error('x');
  hugeStack.stack = `Error: x\n${'    at f (/a.js:1:1)\n'.repeat(500_000)}`;
  const numberStack = Object.assign(new Error('x'), { stack: 5 });
  const noStack = new Error('x');
  delete noStack.stack;
  const things: Record<string, unknown> = {
    undefined: undefined,
    null: null,
    zero: 0,
    empty: '',
    string: 'text',
    true: true,
    bigint: 1n,
    symbol: Symbol('s'),
    function: function thrown() {},
    promise: Promise.resolve(1),
    object: { message: 'not an error', code: 5 },
    array: [1],
    frozen: Object.freeze(new Error('frozen')),
    crossRealm: runInNewContext('new TypeError("far")') as unknown,
    domException: new DOMException('stopped', 'AbortError'),
    nullPrototype: Object.create(null) as unknown,
    getters,
    hugeStack,
    numberStack,
    noStack,
    errorProxy: proxy(new Error('x')),
    causeProxy: new Error('x', { cause: proxy({}) }),
    causeString: new Error('x', { cause: 'why' }),
    causeZero: new Error('x', { cause: 0 }),
    aggregate: new AggregateError(
      Array.from({ length: 1000 }, (_, index) => new Error(String(index))),
      'many',
    ),
    aggregateAndCause: Object.assign(new AggregateError([new Error('a'), 5, null], 'both'), {
      cause: new Error('why'),
    }),
    circular: circular(),
    inheritsProxy: Object.create(proxy({})) as unknown,
    holes: Object.assign(new AggregateError([], 'x'), { errors: Array.from({ length: 3 }) }),
    errorsProxy: Object.assign(new AggregateError([], 'x'), { errors: proxy([]) }),
    hugeMessage: new Error('m'.repeat(10_000_000)),
    surrogates: new Error('\ud800'),
  };
  for (const [name, thrown] of Object.entries(things)) {
    it(name, () => {
      const report = flatten(thrown);
      assertReport(report);
      assert.equal(report.status, 500);
    });
  }

  it('describes the thrown value', () => {
    assert.equal(flatten('text').message, 'text');
    assert.equal(flatten(undefined).class, 'undefined');
    assert.equal(flatten({ message: 'plain' }).message, 'plain');
    assert.equal(flatten(things['domException']).class, 'AbortError');
    assert.equal(flatten(things['domException']).message, 'stopped');
    assert.equal(flatten(things['crossRealm']).class, 'TypeError');
    assert.equal(flatten(things['function']).errors[0]?.properties?.text, 'thrown()');
    const huge = flatten(things['hugeMessage']);
    assert.match(huge.message, /… \(9990000 more characters\)$/);
    assert.ok((huge.errors[0]?.frames.length ?? 0) > 0);
  });

  it('works if the application has replaced stack formatting', (test) => {
    const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
    const limit = Error.stackTraceLimit;
    test.after(() => {
      Error.stackTraceLimit = limit;
      if (before === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace');
      else Object.defineProperty(Error, 'prepareStackTrace', before);
    });
    for (const prepare of [trap, () => 5, (_: Error, sites: unknown[]) => sites, () => undefined]) {
      Object.defineProperty(Error, 'prepareStackTrace', {
        value: prepare,
        configurable: true,
        writable: true,
      });
      assertReport(flatten(new Error('x', { cause: new Error('y') })));
    }
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    Error.stackTraceLimit = 0;
    const report = flatten(new Error('x'));
    assertReport(report);
    assert.deepEqual(report.errors[0]?.frames, []);
  });
});

describe('chains', () => {
  it('E1: the inner error comes first, the outer is marked and decides status and message', () => {
    const report = flatten(new NotFoundError('outer', { cause: new TypeError('inner') }));
    assert.deepEqual(
      report.errors.map(({ number, label, message, isOuter }) => ({ number, label, message, isOuter })),
      [
        { number: 1, label: '1', message: 'inner', isOuter: false },
        { number: 2, label: '2', message: 'outer', isOuter: true },
      ],
    );
    assert.deepEqual([report.status, report.class, report.message], [404, 'NotFoundError', 'outer']);
  });

  for (const length of [1000, 100_000]) {
    it(`of ${length} errors: fifty are shown, the rest is counted`, () => {
      const report = flatten(chain(length));
      assertReport(report);
      assert.equal(report.errors.length, 50);
      assert.equal(report.more, length - 50);
      assert.equal(report.message, String(length));
    });
  }

  it('that are circular end and say so', () => {
    const report = flatten(circular());
    assert.equal(report.errors.length, 2);
    assert.equal(report.errors[0]?.circularTo, '2');
    const self = new Error('self');
    self.cause = self;
    assert.equal(flatten(self).errors[0]?.circularTo, '1');
  });

  it('of aggregated errors are a tree with separate numbers', () => {
    const report = flatten(
      new Error('outer', {
        cause: new AggregateError([new Error('b', { cause: new Error('a') }), 'c'], 'all'),
      }),
    );
    const children = report.errors[0]?.children ?? [];
    assert.deepEqual(
      children.map(({ errors }) => errors.map(({ label, message }) => `${label} ${message}`)),
      [['1.1.1 a', '1.1.2 b'], ['1.2 c']],
    );
    const many = flatten(
      new AggregateError(
        Array.from({ length: 1000 }, () => 'x'),
        'many',
      ),
    ).errors[0];
    assert.equal(many?.children?.length, 20);
    assert.equal(many?.moreChildren, 980);
  });
});

describe("an error's data", () => {
  it('includes code, fix, status and own properties, redacted and without repetition', () => {
    const error = Object.assign(new HttpError(422, `token=${canary}`), {
      code: 'SHOP_EMPTY',
      fix: 'Add one.',
      basket: 3,
      apiKey: canary,
    });
    const [reported] = flatten(error).errors;
    assert.equal(reported?.code, 'SHOP_EMPTY');
    assert.equal(reported?.fix, 'Add one.');
    assert.equal(reported?.status, 422);
    assert.deepEqual(
      reported?.properties?.entries?.map((entry) => entry.key),
      ['basket', 'apiKey'],
    );
    assert.doesNotMatch(JSON.stringify(flatten(error)), /c4n4ry/);
    assert.equal(flatten(new Error('plain')).errors[0]?.properties, undefined);
  });

  it('isHttpError is false for look-alikes and survives proxies', () => {
    assert.ok(isHttpError(new NotFoundError('x')));
    for (const fake of [
      proxy({}),
      new Proxy(new NotFoundError('x'), {}),
      { status: 404 },
      null,
      'x',
      Object.create(new NotFoundError('x')),
    ]) {
      assert.equal(isHttpError(fake), false);
    }
  });
});

describe('frames and excerpts', () => {
  it('E1: show the TypeScript source around the location', () => {
    const error = new Error('here'); // the location
    const frame = flatten(error).errors[0]?.frames[0];
    assert.equal(frame?.file, 'src/core/errors/thrown/flatten-error.test.ts');
    assert.equal(frame?.kind, 'app');
    const { excerpt } = frame ?? {};
    assert.equal(excerpt?.lines.length, 11);
    assert.match(
      excerpt?.lines[excerpt.line - excerpt.startLine] ?? '',
      /new Error\('here'\); \/\/ the location/,
    );
    assert.equal(excerpt?.line, frame?.line);
  });

  it('mark calls reached through an await', async () => {
    async function inner(): Promise<never> {
      await Promise.resolve();
      throw new Error('later');
    }
    async function outer(): Promise<void> {
      await inner();
    }
    const thrown = await outer().catch((error: unknown) => error);
    const frames = flatten(thrown).errors[0]?.frames ?? [];
    assert.deepEqual(
      frames
        .filter((frame) => frame.function === 'inner' || frame.function === 'outer') // Frames of Node's queue may be in between
        .map((frame) => [frame.function, frame.async]),
      [
        ['inner', false],
        ['outer', true],
      ],
    );
  });

  it('distinguish packages, this framework, Node and native code', () => {
    const error = new Error('x');
    error.stack = [
      'Error: x',
      `at a (${process.cwd()}/node_modules/@s/n/lib/a.js:1:1)`,
      'at b (node:fs:1:1)',
      'at Array.map (<anonymous>)',
      `at c (${process.cwd()}/lib/c.ts:1:1)`,
      'at d (/elsewhere/d.js:1:1)',
    ].join('\n    ');
    const { frames } = flattenError(error).errors[0] ?? {};
    assert.deepEqual(
      frames?.map(({ kind, file, library }) => [kind, file, library]),
      [
        ['library', '@s/n/lib/a.js', '@s/n'],
        ['node', 'node:fs', undefined],
        ['native', '', undefined],
        ['app', 'lib/c.ts', undefined],
        ['app', '/elsewhere/d.js', undefined],
      ],
    );
    const own = flattenError(new NotFoundError('x')).errors[0]?.frames[0];
    assert.deepEqual([own?.kind, own?.library], ['library', 'lookback']);
    assert.match(own?.excerpt?.lines.join('\n') ?? '', /class NotFoundError|new \w+Error|super\(/);
    const foreign = Object.assign(new Error('x'), {
      stack: `Error: x\n    at f (${resolve('node_modules/ws/index.js')}:3:1)`,
    });
    const [first] = flattenError(foreign).errors[0]?.frames ?? [];
    assert.ok(first?.excerpt !== undefined, 'a stack without application frames shows where it was thrown');
  });

  it('hide literals assigned to secret names in source excerpts', () => {
    const settings = { apiKey: 'sk_live_1234', name: 'kept-literal' };
    const excerpt = flattenError(new Error(settings.name), { libraryFolders: [] }).errors[0]?.frames[0]
      ?.excerpt;
    const line = excerpt?.lines[excerpt.line - excerpt.startLine - 1];
    assert.match(line ?? '', /apiKey: '\[redacted-[\da-f]{4}\]', name: 'kept-literal'/);
  });
});

/** Errors, each caused by the next one. */
function chainOf(length: number): Error[] {
  const errors: Error[] = [];
  for (let at = length - 1; at >= 0; at--) errors.unshift(new Error(`error ${at}`, { cause: errors[0] }));
  return errors;
}

describe('a cause chain', () => {
  it('goes from the outer error inwards; unread causes are counted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (length, limit) => {
        const errors = chainOf(length);
        const { links, more, circularTo } = walkChain(errors[0], limit, new Set());
        assert.deepEqual(
          links.map(({ thrown }) => thrown),
          errors.slice(0, limit),
        );
        assert.equal(links.length + more, length);
        assert.equal(circularTo, undefined);
      }),
    );
  });

  it('that is circular ends at the repeated error, and names it', () => {
    const [outer, middle, inner] = chainOf(3);
    assert.ok(outer !== undefined && middle !== undefined && inner !== undefined);
    inner.cause = middle;
    const { links, circularTo, more } = walkChain(outer, 50, new Set());
    assert.deepEqual([links.length, circularTo, more], [3, middle, 0]);
    const own = new Error('own');
    own.cause = own;
    assert.equal(walkChain(own, 50, new Set()).circularTo, own);
  });

  it('that is circular beyond its limit is counted once', () => {
    const errors = chainOf(10);
    const last = errors.at(-1);
    assert.ok(last !== undefined);
    last.cause = errors[7];
    assert.equal(walkChain(errors[0], 5, new Set()).more, 5);
  });

  it('ends at an error from another chain', () => {
    const [outer, inner] = chainOf(2);
    const met = new Set<unknown>([inner]);
    const { links, circularTo } = walkChain(outer, 50, met);
    assert.deepEqual([links.length, circularTo], [1, inner]);
    assert.ok(met.has(outer));
  });

  it('may consist of any thrown values; equal texts are not circular', () => {
    const error = new Error('outer', { cause: 'text' });
    assert.deepEqual(
      walkChain(error, 50, new Set(['text'])).links.map(({ thrown }) => thrown),
      [error, 'text'],
    );
    for (const value of [undefined, null, 0, '', Symbol('thrown'), () => undefined, {}])
      assert.equal(walkChain(value, 50, new Set()).links.length, 1);
  });

  it('runs no getter along the way', () => {
    const error = new Error('outer');
    Object.defineProperty(error, 'cause', { get: () => assert.fail('it ran') });
    assert.equal(walkChain(error, 1, new Set()).more, 0);
    const proxy = new Proxy(new Error('inner'), {
      getOwnPropertyDescriptor: () => assert.fail('a trap ran'),
    });
    assert.equal(walkChain(new Error('outer', { cause: proxy }), 1, new Set()).more, 1);
  });
});
