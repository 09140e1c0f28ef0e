import { parseArgs, type ParseArgsConfig } from 'node:util';
import { type Command, type CommandContext, commandErrors, type CommandValues } from './command.js';

/** Returns the exit code: the number that the command returns, otherwise 0. Throws `COMMAND_BAD_ARGUMENTS`. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  { log, print, record }: RunCommandParts,
): Promise<number> {
  if (args.includes('--help')) {
    print(describe(command));
    return 0;
  }
  const { options, positionals } = readArguments(command, args);
  const run = async (): Promise<number> => {
    const result = await command.run({ options, positionals, log, print } as never); // parsed by the command's own options
    return typeof result === 'number' ? result : 0;
  };
  return record === undefined ? run() : record({ options, positionals }, run);
}

interface RunCommandParts extends Pick<CommandContext, 'log' | 'print'> {
  /** Runs the command after its arguments were validated; for callers that record it. */
  readonly record?: (
    given: Pick<CommandContext, 'options' | 'positionals'>,
    run: () => Promise<number>,
  ) => Promise<number>;
}

function readArguments(
  command: Command,
  args: readonly string[],
): Pick<CommandContext, 'options' | 'positionals'> {
  const options = command.options as ParseArgsConfig['options']; // not modified
  let parsed: { values: object; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The options cannot be read.';
    // Node's advice on arguments that begin with a hyphen does not help after a typo in an option.
    throw refuse(command, message.replace(/ To specify a positional argument[\s\S]*$/, ''), error);
  }
  const { values, positionals } = parsed;
  for (const [name, { required }] of Object.entries(command.options))
    if (required === true && !Object.hasOwn(values, name))
      throw refuse(command, `The option --${name} is missing.`);
  const isOpenEnded = command.positionals.at(-1)?.endsWith('…') === true;
  const extra = isOpenEnded ? undefined : positionals[command.positionals.length];
  if (extra !== undefined) throw refuse(command, `"${extra}" is one argument too many.`);
  return { options: values as CommandValues<Command['options']>, positionals }; // parsed by the command's own options
}

function refuse(command: Command, problem: string, cause?: unknown): Error {
  return commandErrors.create('COMMAND_BAD_ARGUMENTS', { problem, usage: usageOf(command) }, { cause });
}

function usageOf({ name, options, positionals }: Command): string {
  const words = Object.entries(options).map(([option, { type, required }]) => {
    const word = `--${option}${type === 'string' ? ' VALUE' : ''}`;
    return required === true ? word : `[${word}]`;
  });
  return ['lookback', name, ...positionals.map((one) => `[${one}]`), ...words].join(' ');
}

function describe(command: Command): string {
  const lines = Object.entries(command.options).map(([name, { short, description = '' }]) => {
    const words = short === undefined ? `--${name}` : `-${short}, --${name}`;
    return `  ${words.padEnd(24)} ${description}`.trimEnd();
  });
  return [
    `Usage: ${usageOf(command)}`,
    '',
    command.description,
    ...(lines.length > 0 ? ['', ...lines] : []),
  ].join('\n');
}
