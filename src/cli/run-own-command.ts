import { type Command, runCommand } from '#command';
import { createLogger } from '#log';
import type { CliOutput } from './command-line/cli-output.js';

/** Runs a command that is no application's: it has nowhere to log. */
export function runOwnCommand(command: Command, args: readonly string[], output: CliOutput): Promise<number> {
  const log = createLogger({ handlers: [] });
  return runCommand(command, args, { log, print: (line) => output.out(`${line}\n`) });
}
