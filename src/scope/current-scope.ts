import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from './scope.js';
import type { Channel } from 'node:diagnostics_channel';

/** For `bindScope` alone. */
export const storage: AsyncLocalStorage<Scope> = new AsyncLocalStorage<Scope>();

/** Runs `work` with `scope` as the current one, for itself and for all that it starts, awaited or not. */
export function runInScope<Arguments extends unknown[], Result>(
  scope: Scope,
  work: (...args: Arguments) => Result,
  ...args: Arguments
): Result {
  return storage.run(scope, work, ...args);
}

/** The scope of the request that this code runs for; undefined outside any request. */
export function currentScope(): Scope | undefined {
  return storage.getStore();
}

/**
 * Makes a channel's `runStores` run in the scope that is found for its message, until the returned function is called.
 */
export function bindScope<Message>(
  channel: Channel<unknown, Message>,
  scopeOf: (message: Message) => Scope | undefined,
): () => void {
  channel.bindStore(storage, (message) => scopeOf(message) as Scope); // undefined is what a store holds outside of requests
  return () => channel.unbindStore(storage);
}
