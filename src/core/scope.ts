import { AsyncLocalStorage } from 'node:async_hooks';
import type { Channel } from 'node:diagnostics_channel';

/** Identifies one value of a scope, with its type. Created once, at module level, by the module that owns the value. */
export interface ScopeKey<T> {
  readonly name: string;
  /** Index of the value in every scope; unique within this copy of the code. */
  readonly slot: number;
  /** Never set: it makes `ScopeKey<A>` and `ScopeKey<B>` different types. */
  readonly valueType?: T;
}

let slots = 0; // number of keys created so far

/** Creates a key. Only debuggers show the `name`. */
export function createScopeKey<T>(name: string): ScopeKey<T> {
  return { name, slot: slots++ };
}

/**
 * One request's values. Part of its work can have its own scope with the request's as its `parent`: it reads the
 * parent's values unless it has set its own, and never changes them.
 */
export class Scope {
  readonly parent: Scope | undefined;
  /** Allocated with its final length: growing the array for each later key would cost more than all reads together. */
  // oxlint-disable-next-line unicorn/no-new-array -- the argument is a length
  readonly #values: unknown[] = new Array<unknown>(slots);

  constructor(parent?: Scope) {
    this.parent = parent;
  }

  /** Returns this scope's value, or that of the nearest parent with one. */
  get<T>(key: ScopeKey<T>): T | undefined {
    const own = this.#values[key.slot];
    if (own !== undefined || this.parent === undefined) return own as T | undefined; // set() takes only a T for this slot
    return this.parent.get(key);
  }

  /** Returns only this scope's value: for values that every (sub-)request must decide for itself. */
  getOwn<T>(key: ScopeKey<T>): T | undefined {
    return this.#values[key.slot] as T | undefined; // set() takes only a T for this slot
  }

  set<T>(key: ScopeKey<T>, value: T): void {
    this.#values[key.slot] = value;
  }

  /** Removes this scope's value, so that `get` returns the parent's value again. */
  delete(key: ScopeKey<unknown>): void {
    this.#values[key.slot] = undefined;
  }
}

/** The scope of the request that sent this one with `app.fetch`, for operations that must not wait for their caller. */
export const callingScope: ScopeKey<Scope> = createScopeKey<Scope>('calling scope');

const reportedAsOne = createScopeKey<true>('reported as one');

/**
 * Runs work that its caller reports as a whole, e.g. an ORM's query: lower layers check `isReportedAbove` and do not
 * report it again.
 */
export function reportAsOne<Result>(work: () => Result): Result {
  const scope = currentScope();
  if (scope === undefined) return work();
  const inner = new Scope(scope);
  inner.set(reportedAsOne, true);
  return runInScope(inner, work);
}

/** Returns whether a caller up the stack already reports the current work with `reportAsOne`. */
export function isReportedAbove(): boolean {
  return currentScope()?.get(reportedAsOne) === true;
}

const ownWork = createScopeKey<true>('own work');

/** Runs lookback's own work that uses one of the application's clients, such as a session store's statements. */
export function runAsOwnWork<Result>(work: () => Result): Result {
  const scope = currentScope();
  if (scope === undefined) return work();
  const inner = new Scope(scope);
  inner.set(ownWork, true);
  return runInScope(inner, work);
}

/** Returns whether a scope's work is lookback's own (see `runAsOwnWork`). */
export function isOwnWork(scope: Scope): boolean {
  return scope.get(ownWork) === true;
}

export const storage: AsyncLocalStorage<Scope> = new AsyncLocalStorage<Scope>();

/** Runs `work` with `scope` as the current scope, which also applies to all asynchronous work that `work` starts. */
export function runInScope<Arguments extends unknown[], Result>(
  scope: Scope,
  work: (...args: Arguments) => Result,
  ...args: Arguments
): Result {
  const told = observer;
  if (told === undefined) return storage.run(scope, work, ...args);
  told.enter(scope);
  try {
    return storage.run(scope, work, ...args);
  } finally {
    told.leave();
  }
}

/** Notified when `runInScope` begins and stops running code in a scope. Must not throw. */
export interface ScopeObserver {
  enter(scope: Scope): void;
  leave(): void;
  /**
   * Called for lookback's own work during the current request, with its start and end on the clock of
   * `performance.now`.
   */
  own(from: number, to: number): void;
}

/** Runs lookback's own work, which does not count as the current request's time: the record attributes it to the profiler. */
export function asOwnTime<Result>(work: () => Result): Result {
  const told = observer;
  if (told === undefined) return work();
  const from = performance.now();
  try {
    return work();
  } finally {
    told.own(from, performance.now());
  }
}

/**
 * Runs lookback's own asynchronous work that the current request waits for: the whole wait counts as time of the
 * profiler. Use no `asOwnTime` within `work`, which would count twice.
 */
export async function asOwnWait<Result>(work: () => Promise<Result>): Promise<Result> {
  const from = performance.now();
  try {
    return await work();
  } finally {
    observer?.own(from, performance.now());
  }
}

let observer: ScopeObserver | undefined; // module state: a process has one event loop, which is observed

/** Sets the single observer of `runInScope`; undefined removes it. */
export function observeScopes(one: ScopeObserver | undefined): void {
  observer = one;
}

/** Runs `work` outside any request: threads and intervals would otherwise retain the objects of the request that started them. */
export const runOutsideRequests: <Result>(work: () => Result) => Result = AsyncLocalStorage.snapshot();

/** Returns the current request's scope; undefined outside a request. */
export function currentScope(): Scope | undefined {
  return storage.getStore();
}

/** Makes a channel's `runStores` run in the scope that `scopeOf` returns for the message, until the returned function runs. */
export function bindScope<Message>(
  channel: Channel<unknown, Message>,
  scopeOf: (message: Message) => Scope | undefined,
): () => void {
  channel.bindStore(storage, (message) => scopeOf(message) as Scope); // outside requests the store holds undefined
  return () => channel.unbindStore(storage);
}
