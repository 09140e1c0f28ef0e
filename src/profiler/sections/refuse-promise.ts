import { types } from 'node:util';
import { withoutStack } from '#core/coded-error';

/** Creates the error for a wrong result; without a stack, because the function that returned it is not on it. */
export function wrongResult(problem: string): TypeError {
  return withoutStack(() => new TypeError(problem));
}

/** Returns the result of an application's function. Throws for a promise, which would end the process if it rejects. */
export function refusePromise<Result>(result: Result, what = 'It'): Result {
  if (!types.isPromise(result)) return result;
  void Promise.prototype.then.call(result, undefined, () => undefined);
  throw wrongResult(`${what} returned a promise`);
}
