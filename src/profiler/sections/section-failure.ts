import { createRedactor } from '#core/dump';
import { describeThrown, isApplicationFile, parseStack, pathOfFile, readThrown } from '#core/errors';
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
