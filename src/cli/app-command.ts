import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isCodedError } from '#core/coded-error';
import { type Command, runCommand } from '#core/command';
import type { Logger } from '#core/log';
import type { App } from '#framework/app';
import { type CliOutput, NoCommandsError, UsageError } from './command-line/terminal.js';
import { loadApp } from './command-line/load-app.js';

/** Runs an application command: `import --file x`. `app` names its module. Closes the application afterwards. */
export async function runAppCommand(
  [name = '', ...words]: readonly string[],
  { app, output }: { readonly app: string | undefined; readonly output: CliOutput },
): Promise<number> {
  const { app: later, rest } = takeLaterApp(words);
  const isOfApp = app === undefined && later !== undefined && existsSync(fileOf(later));
  const isMissing = app === undefined && later !== undefined && !isOfApp;
  const loaded = await loadApp(isOfApp ? later : app).catch((error: unknown) => {
    throw isMissing ? noFile(later) : error;
  });
  try {
    const commands = (await loaded.app?.commands()) ?? [];
    const found = commands.find((one) => one.name === name);
    const isOwnOption = found !== undefined && Object.hasOwn(found.options, 'app');
    if (isMissing && !isOwnOption) throw noFile(later);
    const args = isOfApp && !isOwnOption ? rest : words;
    if (found === undefined || loaded.app === undefined) {
      const list = listCommands(commands);
      if (name !== '--help' && !args.includes('--help'))
        throw commands.length === 0 && name !== ''
          ? new NoCommandsError(list)
          : new UsageError(name === '' ? `Name a command to run.\n${list}` : list);
      output.out(`${list}\n`);
      return 0;
    }
    const print = (line: string): void => output.out(`${line}\n`);
    // The application may use another package version, which records no commands.
    return 'runCommand' in loaded.app
      ? await loaded.app.runCommand(found, args, { print, exitCodeOf })
      : await runCommand(found, args, { log: logOf(loaded.app), print });
  } finally {
    await loaded.app?.close();
  }
}

/** Returns a failed command's exit code, as in `runCli`. */
function exitCodeOf(error: unknown): number {
  return error instanceof UsageError || isCodedError(error) ? 2 : 1;
}

function logOf({ log }: Pick<App, 'log'>): Logger {
  return log.channel('command');
}

function noFile(app: string): UsageError {
  return new UsageError(`There is no file ${fileOf(app)} (compile first?).`);
}

function fileOf(app: string): string {
  return resolve(app.split('#', 1).join());
}

/** Extracts `--app FILE` or `--app=FILE` from the words after the command's name. */
function takeLaterApp(words: readonly string[]): {
  readonly app: string | undefined;
  readonly rest: readonly string[];
} {
  const end = words.indexOf('--');
  const own = end === -1 ? words : words.slice(0, end);
  const at = own.findIndex((word) => word === '--app' || word.startsWith('--app='));
  const word = own[at];
  if (word === undefined) return { app: undefined, rest: words };
  if (word !== '--app') return { app: word.slice('--app='.length), rest: words.toSpliced(at, 1) };
  const app = own[at + 1];
  return app === undefined ? { app, rest: words } : { app, rest: words.toSpliced(at, 2) };
}

function listCommands(commands: readonly Command[]): string {
  if (commands.length === 0) return 'The application has no commands.';
  const listed = commands.map(({ name, description }) => `  ${name.padEnd(24)} ${description}`);
  return ['Commands of the application:', ...listed].join('\n');
}
