/** Application commands: their names, their options, and how they run. */
export type {
  Command,
  CommandContext,
  CommandDefinition,
  CommandOption,
  CommandOptions,
  CommandRun,
  CommandValues,
} from './command/command.js';
export { createCommand } from './command/command.js';
export { runCommand } from './command/run-command.js';
