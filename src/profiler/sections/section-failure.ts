import { types } from 'node:util';
import { createRedactor } from '#core/dump';
import { describeThrown, isApplicationFile, parseStack, pathOfFile, readThrown } from '#core/errors';
import { withoutStack } from '#core/errors';
import { shortPath } from '../model/formatting.js';

/** Describes what a section's function threw, with its line in the application: `Error: boom at src/flags.ts:12`. */
export function describeFailure(thrown: unknown): string {
  const { stack, wholeMessage } = readThrown(thrown);
  const own = parseStack(stack, wholeMessage, 20).frames.find(({ file }) => isApplicationFile(file));
  const location = own === undefined ? '' : ` at ${shortPath(pathOfFile(own.file))}:${own.line}`;
  return createRedactor().text(`${describeThrown(thrown)}${location}`);
}

/** Creates the error that reports which function of an application's section threw. */
export function sectionError(id: string, member: string, thrown: unknown): Error {
  return new Error(`${member} of the section “${id}” failed: ${describeFailure(thrown)}`, { cause: thrown });
}

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
