import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { Rounds } from './rounds.js';

/** What became of so many requests that were added in one turn, and when. */
function addMany(count: number): string[] {
  const rounds = new Rounds();
  const told: string[] = [];
  for (let index = 0; index < count; index++) {
    rounds.add({
      accept: () => void told.push(`accept ${index}`),
      begin: () => void told.push(`begin ${index}`),
    });
  }
  told.push('turn');
  return told;
}

describe('requests of one round', () => {
  it('are begun in their order, when all have been read', async () => {
    const told = addMany(3);
    await nextTurn();
    assert.deepEqual(told, ['accept 0', 'accept 1', 'accept 2', 'turn', 'begin 0', 'begin 1', 'begin 2']);
  });

  it('wait for no more than a few others', async () => {
    const told = addMany(150);
    assert.equal(told.indexOf('begin 0'), told.indexOf('accept 63') + 1);
    assert.equal(told.filter((text) => text.startsWith('begin')).length, 128, 'before the turn ends');
    await nextTurn();
    assert.deepEqual(
      told.filter((text) => text.startsWith('begin')),
      Array.from({ length: 150 }, (_, index) => `begin ${index}`),
    );
  });

  it('are begun at once, in the context they were read in, where somebody watches requests', () => {
    const storage = new AsyncLocalStorage<number>();
    const seen: (number | undefined)[] = [];
    const add = (rounds: Rounds): void =>
      [1, 2].forEach((number) =>
        storage.run(number, () =>
          rounds.add({ accept: () => undefined, begin: () => void seen.push(storage.getStore()) }),
        ),
      );
    const listener = (): void => undefined;
    subscribe('http.server.request.start', listener);
    add(new Rounds());
    unsubscribe('http.server.request.start', listener);
    const emit = Object.getOwnPropertyDescriptor(Server.prototype, 'emit');
    const inherited = Server.prototype.emit;
    Server.prototype.emit = function (this: Server, ...given: Parameters<Server['emit']>) {
      return inherited.apply(this, given);
    } as Server['emit']; // as a monitoring agent does
    add(new Rounds());
    if (emit === undefined) Reflect.deleteProperty(Server.prototype, 'emit');
    else Object.defineProperty(Server.prototype, 'emit', emit);
    assert.deepEqual(seen, [1, 2, 1, 2]);
  });
});
