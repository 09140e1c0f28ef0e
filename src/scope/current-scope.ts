import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from './scope.js';
import type { Channel } from 'node:diagnostics_channel';

export const storage: AsyncLocalStorage<Scope> = new AsyncLocalStorage<Scope>();

/** Runs `work` with `scope` as the current scope, which also applies to all asynchronous work that `work` starts. */
export function runInScope<Arguments extends unknown[], Result>(
  scope: Scope,
  work: (...args: Arguments) => Result,
  ...args: Arguments
): Result {
  return storage.run(scope, work, ...args);
}

/** Returns the scope of the current request, or undefined outside of a request. */
export function currentScope(): Scope | undefined {
  return storage.getStore();
}

/**
 * Makes `runStores` of a diagnostics channel run in the scope that `scopeOf` returns for the message, until the returned
 * function is called.
 */
export function bindScope<Message>(
  channel: Channel<unknown, Message>,
  scopeOf: (message: Message) => Scope | undefined,
): () => void {
  channel.bindStore(storage, (message) => scopeOf(message) as Scope); // outside of requests the store holds undefined
  return () => channel.unbindStore(storage);
}
