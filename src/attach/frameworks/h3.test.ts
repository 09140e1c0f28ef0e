import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { carryWatch } from '../watch/followed-methods.js';
import { watchH3Events } from './h3.js';

class H3Event {
  readonly node = { req: {} };
  readonly method = 'GET';
  readonly context = {};
  get path(): string {
    return '/users/7';
  }
}

describe('the events of h3 1', () => {
  it('are watched once, however often their path is read, and no longer after the end', () => {
    const own = Object.getOwnPropertyDescriptor(H3Event.prototype, 'path');
    const stop = watchH3Events(H3Event.prototype);
    const [event, other] = [new H3Event(), new H3Event()];
    const exchange = { atEnd: [] };
    for (const { node } of [event, other]) carryWatch(node.req, { owner: exchange });
    for (let time = 0; time < 3; time++) assert.equal(event.path, '/users/7');
    assert.equal(exchange.atEnd.length, 1);
    stop?.();
    assert.deepEqual(Object.getOwnPropertyDescriptor(H3Event.prototype, 'path'), own);
    assert.deepEqual([other.path, exchange.atEnd.length], ['/users/7', 1]);
  });
});
