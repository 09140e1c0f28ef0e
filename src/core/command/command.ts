import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';
import {
  anything,
  checkOptions,
  flag,
  listOf,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  namesTo,
  required,
  text,
  textWith,
} from '#core/options';
import type { Logger } from '#core/log';

const table = {
  COMMAND_BAD_NAME: {
    message: '"{name}" is not a valid command name.',
    fix: 'Use lower-case letters, digits and hyphens, with colons between parts: import, users:import.',
  },
  COMMAND_BAD_ARGUMENTS: { message: '{problem}', fix: 'Usage: {usage}' },
} as const;

export const commandErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** One command option, as for `parseArgs` in `node:util`, with its description. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
  /** One letter: `-e`. */
  readonly short?: string;
  /** The option may be repeated, and its value is a list. */
  readonly multiple?: boolean;
  readonly default?: string | boolean | readonly string[] | readonly boolean[];
  /** The command is refused without this option. */
  readonly required?: boolean;
  readonly description?: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

type One<Option extends CommandOption> = Option['type'] extends 'boolean' ? boolean : string;
type OptionValue<Option extends CommandOption> = Option extends { readonly multiple: true }
  ? readonly One<Option>[]
  : One<Option>;

/** The values of options; undefined for a missing option without a default. */
export type CommandValues<Options extends CommandOptions> = {
  readonly [Name in keyof Options]:
    | OptionValue<Options[Name]>
    | (Options[Name] extends { readonly required: true } | { readonly default: unknown } ? never : undefined);
};

/** A running command's input and output. */
export interface CommandContext<Options extends CommandOptions = CommandOptions> {
  readonly options: CommandValues<Options>;
  /** The arguments that are not options. */
  readonly positionals: readonly string[];
  readonly log: Logger;
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
}

/** A command's function. It may return the exit code; any other result counts as 0. */
export type CommandRun<Options extends CommandOptions = CommandOptions> = (
  context: CommandContext<Options>,
) => unknown;

/** A command's definition, without its name. */
export interface CommandDefinition<Options extends CommandOptions = CommandOptions> {
  readonly description: string;
  readonly options?: Options;
  /** Names of the positional arguments, for the help; default none. If the last one has `…`, it may be repeated. */
  readonly positionals?: readonly string[];
}

/** A command that is ready to run. */
export interface Command {
  /** `import`, or with several parts: `users:import`. */
  readonly name: string;
  readonly description: string;
  readonly options: CommandOptions;
  readonly positionals: readonly string[];
  /** Requires the context for the command's own options. */
  readonly run: (context: never) => unknown;
}

const commandOption: OptionsSchema<CommandOption> = optionsSchema<CommandOption>({
  type: required(oneOf('string', 'boolean')),
  short: textWith('one character', (value) => value.length === 1),
  multiple: flag,
  default: anything(), // has the option's type
  required: flag,
  description: text,
});

export const commandSchema: OptionsSchema<CommandDefinition> = optionsSchema<CommandDefinition>({
  description: required(text),
  options: namesTo(commandOption),
  positionals: listOf(text),
});

/** Creates a command. Throws `COMMAND_BAD_NAME`. */
export function createCommand<const Options extends CommandOptions>(
  name: string,
  definition: CommandDefinition<Options>,
  run: CommandRun<Options>,
): Command {
  if (!/^[a-z][a-z0-9-]*(?::[a-z0-9-]+)*$/.test(name))
    throw commandErrors.create('COMMAND_BAD_NAME', { name });
  const location = `The command "${name}"`;
  checkOptions(location, definition, commandSchema);
  const { description, options = {}, positionals = [] } = definition;
  return { name, description, options, positionals, run };
}
