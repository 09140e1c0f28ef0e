import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './usage-error.js';

type Options = NonNullable<ParseArgsConfig['options']>;
type Arguments<Known extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: Known }>
>;

/** Reads what stands behind a command. Throws a `UsageError` for an option that it does not know. */
export function readArguments<const Known extends Options>(
  args: readonly string[],
  options: Known,
): Arguments<Known> {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The options cannot be read.');
  }
}

/** Whether what stands behind a command asks what it takes. */
export function asksForHelp(words: readonly string[]): boolean {
  return words.some((word) => word === '--help' || word === '-h');
}
