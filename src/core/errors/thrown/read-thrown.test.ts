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
