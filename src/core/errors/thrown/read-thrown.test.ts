import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { describeThrown, isError } from './read-thrown.js';

describe('the test for errors', () => {
  /** An error as created by libraries that do not rely on classes: @fastify/error, restify-errors, verror. */
  function FormerError(this: object, message: string): void {
    Object.assign(this, { message, name: 'FormerError' });
    Error.captureStackTrace(this, FormerError);
  }
  FormerError.prototype = Object.create(Error.prototype, { constructor: { value: FormerError } });

  it('accepts Error and DOMException instances, and objects with a stack that inherit from Error', () => {
    const former: unknown = Reflect.construct(FormerError, ['old']);
    for (const thrown of [new TypeError('m'), new DOMException('gone'), former]) assert.ok(isError(thrown));
    assert.equal(describeThrown(former), 'FormerError: old');
    const loop = new Proxy({}, { getPrototypeOf: () => assert.fail('run') });
    const others = [
      null,
      'text',
      { stack: 'Error', message: 'm' },
      Object.create(Error.prototype),
      Object.create(loop, { stack: { value: '' } }),
      new Proxy(new Error('m'), {}),
    ];
    for (const thrown of others) assert.equal(isError(thrown), false);
  });
});

describe('describeThrown', () => {
  it('describes an error like its page, including Node and DOM errors', async () => {
    const [refused] = (await once(connect(1, '127.0.0.1'), 'connect').catch((error: unknown) => [error])) as [
      Error,
    ]; // nobody listens on port 1
    assert.match(describeThrown(refused), /^Error: connect ECONNREFUSED/);
    assert.equal(describeThrown(new DOMException('gone', 'AbortError')), 'AbortError: gone');
    assert.equal(describeThrown(Object.assign(new Error('m'), { name: 'Renamed' })), 'Renamed: m');
    class Own extends TypeError {}
    assert.equal(describeThrown(new Own('m')), 'Own: m');
  });

  it('takes the message from the stack if it is an accessor, without running it', () => {
    const described = (name: string, message: string, stack?: string): string => {
      const error = new Error(message);
      error.name = name;
      Object.defineProperty(error, 'stack', { value: stack ?? error.stack });
      Object.defineProperty(error, 'message', { get: () => assert.fail('run') });
      return describeThrown(error);
    };
    assert.equal(described('ZodError', '[\n  { "path": ["a"] }\n]'), 'ZodError: [\n  { "path": ["a"] }\n]');
    assert.equal(described('Error', 'm'), 'Error: m');
    assert.equal(described('Error', 'two: parts'), 'Error: two: parts');
    assert.equal(described('Later', '', 'Error: m\n    at a (b.js:1:1)\n    at c (d.js:1:1)'), 'Later: m');
    for (const stack of ['', 'Later', 'Later\n    at a (b.js:1:1)', 'Other: m', 'at a (b.js:1:1)'])
      assert.equal(described('Later', '', stack), 'Later', JSON.stringify(stack));
    assert.equal(described('ZodError', 'm', 'ZodError: m'), 'ZodError: m', 'without a frame');
    const wordless = Object.defineProperty(new Error('m'), 'message', { value: 5 });
    assert.equal(describeThrown(wordless), 'Error');
  });

  it("runs none of the thrown value's code", () => {
    const hostile = {
      get message(): string {
        throw new Error('run');
      },
      get name(): string {
        throw new Error('run');
      },
    };
    const proxy = new Proxy(new Error('m'), {
      get: () => assert.fail('run'),
      getPrototypeOf: () => assert.fail('run'),
    });
    assert.equal(describeThrown(hostile), 'Object');
    assert.equal(describeThrown(proxy), 'Proxy');
    assert.equal(describeThrown(undefined), 'undefined: undefined');
    assert.equal(
      describeThrown(() => 1),
      'a function',
    );
  });
});
