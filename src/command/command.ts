import type { Logger } from '#log';

/** One option of a command, as `node:util`'s `parseArgs` takes it, with what a reader has to know. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
  /** One letter: `-e`. */
  readonly short?: string;
  /** May be given several times; its value is a list. */
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
  /** What was given beside options. */
  readonly positionals: readonly string[];
  readonly log: Logger;
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
}

/** May give the exit code; anything that is no number stands for 0. */
export type CommandRun<Options extends CommandOptions = CommandOptions> = (
  context: CommandContext<Options>,
) => unknown;

/** What is said of a command beside its name. */
export interface CommandDefinition<Options extends CommandOptions = CommandOptions> {
  readonly description: string;
  readonly options?: Options;
  /** Names of what may be given beside options, for the help; default: nothing may. With `…` at its end the last one may be repeated. */
  readonly positionals?: readonly string[];
}

/** A command made ready. */
export interface Command {
  /** `import`, or with parts: `db:migrate`, typed as `lookback db migrate` too. */
  readonly name: string;
  readonly description: string;
  readonly options: CommandOptions;
  readonly positionals: readonly string[];
  /** Takes the context that its own options make. */
  readonly run: (context: never) => unknown;
}
