import { nameErrors } from '#core/coded-error';
import { checkOptions, number, optionsSchema } from '#core/options';
import { describeThrown, ServiceUnavailableError } from '#core/errors';
import { securityErrors } from '../secrets/error-codes.js';
import type { ExpiringStore, PutOptions } from './expiring-store.js';

/** Milliseconds within which a store must answer. */
export const defaultStoreTimeout = 3000;
/** Timeout while the store is known to be unresponsive: otherwise every request would wait the full time. */
const silentTimeout = 200;
/** The longest delay of a Node timer; longer ones, such as `Infinity`, fire at once. */
const longestTimeout = 2_147_483_647;

const timeoutSchema = optionsSchema<{ readonly timeout?: number }>({
  timeout: number({ above: 0, unit: 'milliseconds', orInfinity: true }),
});

/** Answered with 503: a security store did not answer in time, or failed. The cause has a code and a fix. */
export class StoreUnavailableError extends ServiceUnavailableError {
  readonly #reason: Error;

  constructor(reason: Error) {
    super(1, reason.message, { cause: reason });
    this.#reason = reason;
  }

  /** The error with code and fix. */
  get reason(): Error {
    return this.#reason;
  }

  static is(value: unknown): value is StoreUnavailableError {
    return typeof value === 'object' && value !== null && #reason in value;
  }

  static {
    nameErrors(this, 'StoreUnavailableError');
  }
}

/** `onLate` is called if the entry is written after the caller has been told that the store does not respond. */
export interface BoundStore extends ExpiringStore {
  /** `onLate` is called if the entry is written after the caller has been told that the store does not respond. */
  put(key: string, value: string, options: PutOptions, onLate?: () => void): boolean | Promise<boolean>;
}

/** The bound version of each store. Its users share its state, that is, whether it is unresponsive. */
const boundStores = new WeakMap<ExpiringStore, BoundStore>();

/**
 * Returns a store whose operations take at most `timeout` milliseconds; with several calls for one store, the first
 * decides. An operation that fails or takes longer throws a `StoreUnavailableError`. After a timeout, the following
 * operations get only a fraction of the time, until the store has answered again. Throws `OPTIONS_BAD_VALUE`.
 */
export function boundStore(store: ExpiringStore, timeout: number = defaultStoreTimeout): BoundStore {
  checkOptions('boundStore()', { timeout }, timeoutSchema);
  const known = boundStores.get(store);
  if (known !== undefined) return known;
  const bound = createBoundStore(store, Math.min(timeout, longestTimeout));
  boundStores.set(store, bound);
  boundStores.set(bound, bound);
  return bound;
}

function createBoundStore(store: ExpiringStore, timeout: number): BoundStore {
  const { name } = store;
  let isSilent = false;
  const failed = (cause: unknown): Error =>
    new StoreUnavailableError(
      securityErrors.create('SECURITY_STORE_FAILED', { name, reason: describeThrown(cause) }, { cause }),
    );
  function run<Result>(
    work: () => Result | Promise<Result>,
    onLate?: (result: Result) => void,
  ): Result | Promise<Result> {
    let result: Result | Promise<Result>;
    try {
      result = work();
    } catch (cause) {
      throw failed(cause);
    }
    if (!isThenable(result)) return result;
    const pending = result;
    return new Promise<Result>((resolve, reject) => {
      let isLate = false;
      const milliseconds = isSilent ? Math.min(silentTimeout, timeout) : timeout;
      const timer = setTimeout(() => {
        isLate = isSilent = true;
        const silence = securityErrors.create('SECURITY_STORE_SILENT', { name, milliseconds });
        reject(new StoreUnavailableError(silence));
      }, milliseconds);
      pending.then(
        (answer) => {
          clearTimeout(timer);
          isSilent = false;
          if (isLate) onLate?.(answer);
          else resolve(answer);
        },
        (cause: unknown) => {
          clearTimeout(timer);
          reject(failed(cause));
        },
      );
    });
  }
  return {
    name,
    get: (key) => run(() => store.get(key)),
    put: (key, value, options, onLate) =>
      run(
        () => store.put(key, value, options),
        (isWritten) => {
          if (isWritten) onLate?.();
        },
      ),
    remove: (key, expected) =>
      run(() => (expected === undefined ? store.remove(key) : store.remove(key, expected))),
    extend: (key, lifetime) => run(() => store.extend(key, lifetime)),
    take: (key, limit, lifetime) => run(() => store.take(key, limit, lifetime)),
    settle: (key, how) => run(() => store.settle(key, how)),
  };
}

function isThenable<Result>(value: Result | Promise<Result>): value is Promise<Result> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
