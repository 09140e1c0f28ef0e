import type { Command, CommandDefinition, CommandOptions, CommandRun } from './command.js';
import { commandErrors } from './error-codes.js';

/** Creates a command. Throws `COMMAND_BAD_NAME`. */
export function createCommand<const Options extends CommandOptions>(
  name: string,
  definition: CommandDefinition<Options>,
  run: CommandRun<Options>,
): Command {
  if (!/^[a-z][a-z0-9-]*(?::[a-z0-9-]+)*$/.test(name))
    throw commandErrors.create('COMMAND_BAD_NAME', { name });
  const { description, options = {}, positionals = [] } = definition;
  return { name, description, options, positionals, run };
}
