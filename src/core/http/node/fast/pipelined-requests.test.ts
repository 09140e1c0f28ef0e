import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PipelinedRequests } from './pipelined-requests.js';

type Added = Parameters<PipelinedRequests['add']>;

/** A connection whose requests record their progress. */
function connect(): {
  add: (name: string, context?: string) => { reply: EventEmitter; message: EventEmitter; pending: number[] };
  seen: string[];
  first: EventEmitter;
  socket: { writable: boolean; destroyed: number };
} {
  const pipelined = new PipelinedRequests();
  const contexts = new AsyncLocalStorage<string>();
  const socket = {
    writable: true,
    destroyed: 0,
    destroy(): void {
      socket.destroyed++;
    },
  };
  const first = Object.assign(new EventEmitter(), { socket });
  const seen: string[] = [];
  return {
    seen,
    first,
    socket,
    add(name, context = name) {
      const message = Object.assign(new EventEmitter(), { socket });
      const pending: number[] = [];
      const reply = Object.assign(new EventEmitter(), {
        socket,
        ...(name !== 'uncounted' && { _onPendingData: (bytes: number) => void pending.push(bytes) }),
      });
      const request = {
        start: () => void seen.push(`start ${name} in ${contexts.getStore()}`),
        close: () => void seen.push(`close ${name}`),
      };
      contexts.run(context, () => {
        const given = [message, reply, request, () => first];
        pipelined.add(...(given as unknown as Added)); // only these properties are used
      });
      return { reply, message, pending };
    },
  };
}

describe('requests waiting on a connection', () => {
  it('begin one by one, each when the previous one was answered, in their own context', async () => {
    const { add, seen, first } = connect();
    const [second, third] = [add('second'), add('third')];
    await nextTurn();
    assert.deepEqual(seen, []);
    first.emit('close');
    assert.deepEqual(seen, [], 'the next request starts in a later turn');
    await nextTurn();
    assert.deepEqual(seen.splice(0), ['start second in second']);
    second.reply.emit('close');
    await nextTurn();
    assert.deepEqual(seen.splice(0), ['start third in third']);
    third.reply.emit('close');
    add('fourth');
    first.emit('close');
    await nextTurn();
    assert.deepEqual(
      seen,
      ['start fourth in fourth'],
      'starts right after the previous response, because nothing is queued',
    );
  });

  it("count towards the connection's pending output while they wait", async () => {
    const { add, first } = connect();
    const { pending } = add('second');
    assert.deepEqual(pending, [4096]);
    first.emit('close');
    assert.deepEqual(pending, [4096, -4096]);
  });

  it('are closed if the connection is lost first, but not after they have begun', async () => {
    const { add, seen, first } = connect();
    const [second, third] = [add('second'), add('third')];
    first.emit('close');
    await nextTurn();
    for (const { message } of [second, third]) message.emit('close');
    assert.deepEqual(seen, ['start second in second', 'close third']);
  });

  it('do not begin on a connection that is no longer writable', async () => {
    const { add, seen, first, socket } = connect();
    const { message } = add('second');
    socket.writable = false;
    first.emit('close');
    await nextTurn();
    assert.deepEqual(seen, []);
    message.emit('close');
    assert.deepEqual(seen, ['close second']);
    const other = connect();
    const { reply } = other.add('second');
    Object.assign(reply, { socket: null });
    other.first.emit('close');
    await nextTurn();
    assert.deepEqual(other.seen, []);
  });

  it('are limited to a thousand if Node does not count pending output', () => {
    const { add, socket } = connect();
    for (let count = 0; count < 1000; count++) add('uncounted');
    assert.equal(socket.destroyed, 0);
    add('counted');
    assert.equal(socket.destroyed, 0);
    add('uncounted');
    assert.equal(socket.destroyed, 1);
  });
});
