import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import {
  carryWatch,
  findWatch,
  followMethods,
  type MessageWatch,
  unfollowMethods,
} from './followed-methods.js';

const ends = (): boolean => Object.hasOwn(ServerResponse.prototype, 'end');

/** A watch that records the calls it receives. */
function createWatch(calls: unknown[]): MessageWatch {
  return {
    owner: calls,
    writeHead(former, args) {
      calls.push(args);
      return Reflect.apply(former, response, args);
    },
  };
}
const response = new ServerResponse(new IncomingMessage(new Socket()));

describe('message methods', () => {
  it('are followed on watched messages, and passed through on all others', () => {
    const calls: unknown[] = [];
    // What Express inserts on the way.
    const between = Object.create(ServerResponse.prototype) as object; // below the class
    followMethods(Object.setPrototypeOf(response, between) as object);
    carryWatch(response, createWatch(calls));
    const other = new ServerResponse(new IncomingMessage(new Socket()));
    other.writeHead(204);
    assert.deepEqual([response.headersSent, other.headersSent], [false, true]);
    response.writeHead(204);
    assert.equal(response.headersSent, true);
    assert.deepEqual(calls, [[204]]);
    assert.deepEqual([findWatch(response)?.owner, findWatch(other)], [calls, undefined]);
    assert.deepEqual(
      Reflect.ownKeys(response).filter((key) => String(key).includes('watch')),
      [],
    );
    unfollowMethods();
  });

  it('are restored after the last user has gone', () => {
    const before = Object.getOwnPropertyDescriptors(ServerResponse.prototype);
    followMethods(response);
    followMethods(response);
    assert.ok(ends());
    unfollowMethods();
    assert.ok(ends());
    unfollowMethods();
    assert.deepEqual(Object.getOwnPropertyDescriptors(ServerResponse.prototype), before);
  });

  it('are replaced once, no matter how many messages the class has', () => {
    followMethods(new ServerResponse(new IncomingMessage(new Socket())));
    const { end } = ServerResponse.prototype;
    followMethods(new ServerResponse(new IncomingMessage(new Socket())));
    assert.equal(ServerResponse.prototype.end, end);
    unfollowMethods();
    unfollowMethods();
  });

  it('of message-like objects are replaced on the object alone', () => {
    const calls: unknown[] = [];
    const mock = Object.assign(new EventEmitter(), { writeHead: (...args: unknown[]) => args.length });
    followMethods(mock);
    carryWatch(mock, createWatch(calls));
    assert.equal(Object.hasOwn(EventEmitter.prototype, 'writeHead'), false);
    mock.writeHead('at once');
    assert.deepEqual(calls, [['at once']]);
    unfollowMethods();
  });
});
