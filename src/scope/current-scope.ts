import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from './scope.js';

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
