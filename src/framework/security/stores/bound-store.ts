import { nameErrors } from '#core/coded-error';
import {
  checkOptions,
  checkValue,
  number,
  optionsSchema,
  type OptionType,
  optionType,
  secret,
} from '#core/options';
import { describeThrown, ServiceUnavailableError } from '#core/errors';
import { securityErrors } from '../secrets/error-codes.js';
import {
  type ExpiringStore,
  expiringStore,
  type PutOptions,
  type StoredEntry,
  type TakenSlot,
} from './expiring-store.js';

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

/** The valid results of each store method; results of other methods are not used. Errors hide text, because stores keep sessions. */
const answers = {
  'get()': secret(
    optionType<StoredEntry | undefined>(
      'an entry with value (a string) and endsIn (a number), or undefined',
      (answer) =>
        answer === undefined ||
        answer === null ||
        (typeof memberOf(answer, 'value') === 'string' && isNumber(memberOf(answer, 'endsIn'))),
    ),
  ),
  'put()': secret(optionType<boolean>('true or false', (answer) => typeof answer === 'boolean')),
  'remove()': secret(optionType<boolean>('true or false', (answer) => typeof answer === 'boolean')),
  'take()': secret(
    optionType<TakenSlot>(
      'an object with isTaken (true or false), kept and endsIn (numbers)',
      (answer) =>
        typeof memberOf(answer, 'isTaken') === 'boolean' &&
        isNumber(memberOf(answer, 'kept')) &&
        isNumber(memberOf(answer, 'endsIn')),
    ),
  ),
};

function memberOf(answer: unknown, name: string): unknown {
  return typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}

/** The bound version of each store. Its users share its state, that is, whether it is unresponsive. */
const boundStores = new WeakMap<ExpiringStore, BoundStore>();

/**
 * Returns a store whose operations take at most `timeout` milliseconds; with several calls for one store, the first
 * decides. An operation that fails, takes longer, or returns an invalid result, throws a `StoreUnavailableError`. After a timeout, the following
 * operations get only a fraction of the time, until the store has answered again. Throws `OPTIONS_BAD_VALUE`.
 */
export function boundStore(store: ExpiringStore, timeout: number = defaultStoreTimeout): BoundStore {
  checkValue('boundStore()', 'store', store, expiringStore);
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
  const refused = (method: keyof typeof answers, given: string): Error =>
    new StoreUnavailableError(
      securityErrors.create('SECURITY_STORE_ANSWER', { name, method, given, takes: answers[method].takes }),
    );
  /** Returns a method's result; throws if it is invalid. */
  function checked<Result>(method: keyof typeof answers | undefined, answer: Result): Result {
    if (method === undefined) return answer;
    let issue: ReturnType<OptionType<Result>['check']>;
    try {
      issue = answers[method].check(answer);
    } catch (cause) {
      throw failed(cause); // a getter of the answer
    }
    if (issue !== undefined) throw refused(method, issue.given);
    return answer;
  }
  function run<Result>(
    method: keyof typeof answers | undefined,
    work: () => Result | Promise<Result>,
    onLate?: (result: Result) => void,
  ): Result | Promise<Result> {
    let result: Result | Promise<Result>;
    try {
      result = work();
    } catch (cause) {
      throw failed(cause);
    }
    if (!isThenable(result)) return checked(method, result);
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
          if (isLate) return onLate?.(answer);
          try {
            resolve(checked(method, answer));
          } catch (error) {
            reject(error);
          }
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
    get: (key) => run('get()', () => store.get(key)),
    put: (key, value, options, onLate) =>
      run(
        'put()',
        () => store.put(key, value, options),
        (isWritten) => {
          if (isWritten) onLate?.();
        },
      ),
    remove: (key, expected) =>
      run('remove()', () => (expected === undefined ? store.remove(key) : store.remove(key, expected))),
    extend: (key, lifetime) => run(undefined, () => store.extend(key, lifetime)),
    take: (key, limit, lifetime) => run('take()', () => store.take(key, limit, lifetime)),
    settle: (key, how) => run(undefined, () => store.settle(key, how)),
  };
}

function isThenable<Result>(value: Result | Promise<Result>): value is Promise<Result> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
