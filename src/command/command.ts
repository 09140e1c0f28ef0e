import type { Logger } from '#log';
import { commandErrors } from './error-codes.js';

/** One option of a command, as `parseArgs` of `node:util` takes it, with its description. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
  /** One letter: `-e`. */
  readonly short?: string;
  /** May be repeated; its value is a list. */
  readonly multiple?: boolean;
  readonly default?: string | boolean | readonly string[] | readonly boolean[];
  /** The command is refused without it. */
  readonly required?: boolean;
  readonly description?: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

type One<Option extends CommandOption> = Option['type'] extends 'boolean' ? boolean : string;
type Given<Option extends CommandOption> = Option extends { readonly multiple: true }
  ? readonly One<Option>[]
  : One<Option>;

/** The values of options: undefined for one that may be left out and has no default. */
export type CommandValues<Options extends CommandOptions> = {
  readonly [Name in keyof Options]:
    | Given<Options[Name]>
    | (Options[Name] extends { readonly required: true } | { readonly default: unknown } ? never : undefined);
};

/** What a running command has in hand. */
export interface CommandContext<Options extends CommandOptions = CommandOptions> {
  readonly options: CommandValues<Options>;
  /** The arguments that are not options. */
  readonly positionals: readonly string[];
  readonly log: Logger;
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
}

/** May return the exit code; anything that is not a number means 0. */
export type CommandRun<Options extends CommandOptions = CommandOptions> = (
  context: CommandContext<Options>,
) => unknown;

/** The definition of a command, without its name. */
export interface CommandDefinition<Options extends CommandOptions = CommandOptions> {
  readonly description: string;
  readonly options?: Options;
  /** Names of other arguments than options, for the help; default none. A last one with `…` may be repeated. */
  readonly positionals?: readonly string[];
}

/** A command that is ready to run. */
export interface Command {
  /** `import`, or with parts: `db:migrate`, typed as `lookback db migrate` too. */
  readonly name: string;
  readonly description: string;
  readonly options: CommandOptions;
  readonly positionals: readonly string[];
  /** Takes the context that its own options make. */
  readonly run: (context: never) => unknown;
}

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
