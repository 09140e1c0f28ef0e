import { isCodedError } from '#coded-error';
import { describeThrown } from '#errors';
import type { CliOutput } from './command-line/cli-output.js';
import { runOwnCommand } from './run-own-command.js';
import { UsageError } from './command-line/usage-error.js';
import { ownCommands } from './own-commands.js';

const usage = `Usage: lookback <command>

  new NAME                 a new application in the folder NAME
  dev [FILE]               runs the application and restarts it when a file changes
  routes [name]            the routes of the application, or one of them in full
  routes match PATH        which route takes a request, and what stood against the others
  routes --lint            routes that cannot do what they are there for
  openapi [--out FILE]     the OpenAPI 3.1 document of the application, as JSON
  run COMMAND              a command of the application; "lookback COMMAND" is the same where the name is free
  db migrate|rollback|status|create|seed
                           migrations and seeds, where the application has a database

  records [QUERY]          recorded requests: status:>=500 route:blog_* time:>200ms after:10m; --follow, --json
  show TOKEN               a record as Markdown or JSON
  diff A [B]               how two records differ; without B from the newest of the route that went well
  errors [QUERY]           what was thrown, counted by class and place
  slow [QUERY]             routes by the duration of their requests
  replay TOKEN             sends a recorded request again
  export [QUERY]           records as JSON lines, --har (HTTP archive) or --otlp (OpenTelemetry)
  import FILE…             writes records into the store: of "export", a record as JSON, or a HAR of a browser
  open [FILE]              the profiler's pages, of a file of records or of a store
  store check|prune|repair the store of records
  mcp                      serves the records to an assistant (Model Context Protocol)
  completion SHELL         completion for bash, zsh or fish

Every command says by --help what it takes. The application is found by --app FILE[#EXPORT], which is a module that
exports it as "app" or by default, or a function that makes it; else by LOOKBACK_APP, "lookback": { "app": … } of package.json,
dist/app.js, app.js and other usual files.

Commands on records take --store ADDRESS (default: PROFILER_STORE, sqlite:var/profiler.db); no application is loaded. NO_COLOR=1 or --no-color turns colours off.
`;

/** Those that work on records. An application's command of such a name is run by "lookback run". */
const onRecords: ReadonlySet<string> = new Set(
  'records show diff replay errors slow export import open store mcp completion'.split(' '),
);

/**
 * Runs one command. The result is the exit code: 0 for yes and done, 1 for no (nothing matches, no such route, errors
 * found, a command that failed), 2 for a command that could not be run.
 */
export async function runCli(args: readonly string[], output: CliOutput): Promise<number> {
  if (args[0] === '--no-color') return runCli(args.slice(1), { ...output, isColored: false });
  const { app, rest } = takeApp(args);
  const [command, ...words] = rest;
  if (command === undefined || /^(?:help|--help|-h)$/.test(command)) {
    output.out(usage);
    return command === undefined ? 2 : 0;
  }
  try {
    return await runNamed(command, { words, app, output });
  } catch (error) {
    if (error instanceof UsageError) output.err(`${error.message}\n\n${usage}`);
    else if (isCodedError(error)) output.err(`${error.code}: ${error.message}\n${error.fix ?? ''}\n`);
    else {
      output.err(`${describeThrown(error)}\n${stackOf(error)}`);
      return 1;
    }
    return 2;
  }
}

/** Each command loads what it needs, and no more. */
async function runNamed(
  command: string,
  {
    words,
    app,
    output,
  }: { readonly words: readonly string[]; readonly app: string | undefined; readonly output: CliOutput },
): Promise<number> {
  if (onRecords.has(command)) {
    const { findRecordCommand } = await import('./records/record-commands.js');
    const isPlain = words.includes('--no-color');
    const shown = isPlain ? { ...output, isColored: false } : output;
    const found = findRecordCommand(command, shown, () =>
      Promise.all([...ownCommands.values()].map((make) => make(output))),
    );
    const own = words.filter((word) => word !== '--no-color');
    if (found !== undefined) return runOwnCommand(found, own, shown);
  }
  const own = await ownCommands.get(command)?.(output);
  if (own !== undefined)
    return runOwnCommand(own, app === undefined ? words : ['--app', app, ...words], output);
  const { runAppCommand } = await import('./app-command.js');
  if (command !== 'run') return runAppCommand([command, ...words], { app, output });
  const inner = takeApp(words);
  return runAppCommand(inner.rest, { app: inner.app ?? app, output });
}

/** `--app FILE` or `--app=FILE` in front of everything else: what follows a command's name belongs to it. */
function takeApp(args: readonly string[]): {
  readonly app: string | undefined;
  readonly rest: readonly string[];
} {
  const [first = '', second, ...others] = args;
  if (first === '--app' && second !== undefined) return { app: second, rest: others };
  if (first.startsWith('--app=')) return { app: first.slice('--app='.length), rest: args.slice(1) };
  return { app: undefined, rest: args };
}

function stackOf(error: unknown): string {
  const frames =
    error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  return frames.map((line) => `${line}\n`).join('');
}
