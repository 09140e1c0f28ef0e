import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDispatcher, defineEvent } from './events.js';

interface Ping {
  seen: string[];
  answer?: string;
}
const ping = defineEvent<Ping>('ping', { isStopped: (event) => event.answer !== undefined });

describe('createDispatcher', () => {
  it('calls by priority, then in registration order', () => {
    const dispatcher = createDispatcher();
    for (const [name, priority] of [
      ['c', 0],
      ['a', 10],
      ['d', 0],
      ['b', 10],
      ['e', -5],
    ] as const) {
      dispatcher.on(ping, (event) => void event.seen.push(name), { priority, name });
    }
    const event: Ping = { seen: [] };
    assert.equal(dispatcher.dispatch(ping, event), undefined);
    assert.deepEqual(event.seen, ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(
      dispatcher.listeners(ping).map((listener) => listener.name),
      event.seen,
    );
  });

  it("stops at a response, even an asynchronous one, and rethrows a listener's error", async () => {
    const answers: ((event: Ping) => void | Promise<void>)[] = [
      (event) => void (event.answer = 'given'),
      async (event) => {
        await Promise.resolve();
        event.answer = 'given';
      },
    ];
    for (const answer of answers) {
      const dispatcher = createDispatcher();
      dispatcher.on(ping, answer);
      dispatcher.on(ping, (event) => void event.seen.push('never'));
      const event: Ping = { seen: [] };
      await dispatcher.dispatch(ping, event);
      assert.deepEqual(event, { seen: [], answer: 'given' });
    }

    const failing = createDispatcher();
    failing.on(ping, () => {
      throw new Error('at once');
    });
    assert.throws(() => failing.dispatch(ping, { seen: [] }), /at once/);
    const failingLater = createDispatcher();
    failingLater.on(ping, () => Promise.reject(new Error('later')));
    await assert.rejects(async () => failingLater.dispatch(ping, { seen: [] }), /later/);
  });

  it('applies listeners added or removed during a dispatch from the next dispatch on', () => {
    const dispatcher = createDispatcher();
    const remove = dispatcher.on(ping, (event) => {
      event.seen.push('once');
      remove();
      dispatcher.on(ping, (later) => void later.seen.push('added'));
    });
    dispatcher.on(ping, (event) => void event.seen.push('second'));
    const [first, second]: [Ping, Ping] = [{ seen: [] }, { seen: [] }];
    dispatcher.dispatch(ping, first);
    dispatcher.dispatch(ping, second);
    assert.deepEqual(
      [first.seen, second.seen],
      [
        ['once', 'second'],
        ['second', 'added'],
      ],
    );
  });

  it('notifies an observer of each dispatch and its end, whatever listeners do, and awaits its result', async () => {
    const told: string[] = [];
    const dispatcher = createDispatcher({
      stage: () => 0,
      listener: () => 1,
      follower: (_type, event) => {
        if ((event as Ping).seen.includes('unwatched')) return undefined;
        return {
          enter: (number) => told.push(`enter ${number}`),
          leave: (_place, outcome) => told.push(outcome ?? 'fine'),
          lateError: (thrown) => told.push(`late ${String(thrown)}`),
        };
      },
      async ended(_type, _event, outcome) {
        await Promise.resolve();
        told.push(`ended ${outcome ?? 'fine'}`);
      },
    });
    const remove = dispatcher.on(ping, () => {
      throw new Error('no');
    });
    assert.throws(() => dispatcher.dispatch(ping, { seen: [] }), /no/);
    await Promise.resolve();
    assert.deepEqual(told.splice(0), ['enter 0', 'enter 1', 'failed', 'failed', 'ended failed']);
    await dispatcher.dispatchToAll(ping, { seen: [] }, () => told.push('swallowed'));
    assert.deepEqual(told.splice(0), [
      'enter 0',
      'enter 1',
      'failed',
      'swallowed',
      'late Error: no',
      'fine',
      'ended fine',
    ]);
    remove();
    dispatcher.on(ping, () => Promise.resolve());
    await dispatcher.dispatch(ping, { seen: [] });
    assert.deepEqual(told.splice(0), ['enter 0', 'enter 1', 'fine', 'fine', 'ended fine']);
    await dispatcher.dispatch(ping, { seen: ['unwatched'] });
    assert.deepEqual(told, []);
  });
});
