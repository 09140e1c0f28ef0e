import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { describeThrown } from './describe-thrown.js';

describe('describeThrown', () => {
  it('names an error as its page does, Node’s own and those of the DOM too', async () => {
    const [refused] = (await once(connect(1, '127.0.0.1'), 'connect').catch((error: unknown) => [error])) as [
      Error,
    ]; // port 1 is nobody's
    assert.match(describeThrown(refused), /^Error: connect ECONNREFUSED/);
    assert.equal(describeThrown(new DOMException('gone', 'AbortError')), 'AbortError: gone');
    assert.equal(describeThrown(Object.assign(new Error('m'), { name: 'Renamed' })), 'Renamed: m');
    class Own extends TypeError {}
    assert.equal(describeThrown(new Own('m')), 'Own: m');
  });

  it('runs nothing of what was thrown', () => {
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
