import { findNearest, isCodedError } from '#core/coded-error';
import { type Command, runCommand } from '#core/command';
import { describeThrown } from '#core/errors';
import { visibleText } from '#core/html';
import { createLogger } from '#core/log';
import { type CliOutput, NoCommandsError, UsageError, wrapUsage } from './command-line/terminal.js';
import type { ToolWords } from './records/tool-command.js';

const usage = `Usage: lookback <command>

  new NAME                 create an application in the folder NAME
  dev [FILE]               run the application, and restart it when a file changes
  routes [name]            list the routes of the application, or show one in full
  routes match PATH        show which route matches a request, and why the others do not
  routes --lint            find routes that can never match and other mistakes
  listeners [EVENT]        list the listeners of each event in the order they are called
  firewall PATH            show which firewall, access rule and entry point apply to a request
  openapi [--out FILE]     print the OpenAPI 3.1 document of the application as JSON
  run COMMAND              run a command of the application; "lookback COMMAND" is the same if the name is free
  agent init               configure coding assistants for this folder: Claude Code, Cursor, VS Code, Codex
  doctor                   say what is recorded, where, who may see it, and what does not fit

  problems [QUERY]         list what is wrong, the worst first; --since 10m
  watch [QUERY]            show what came since a token or time, with its problems: --since, --wait
  find [QUERY]             find requests, each with its first finding: --sort, --limit, --cursor
  compare TOKEN [WITH]     show how two requests differ; WITH is a token, last-good or previous
  explain TOKEN [ROW]      show the plan of a query of a request, of the slowest without ROW
  applications             list the applications of this machine that have records
  records [QUERY]          list recorded requests: status:>=500 route:blog_* time:>200ms after:10m; --follow, --json
  show TOKEN               print a record as Markdown or JSON
  diff A [B]               compare two records; without B, with the newest successful one of the same route
  errors [QUERY]           count errors by kind
  slow [QUERY]             list routes by the duration of their requests
  count [QUERY]            count requests, --by route, status, user …
  logs [QUERY]             find log lines across requests: --text, --level
  replay TOKEN             send a recorded request again, and say what came of it
  export [QUERY]           print records as JSON lines, or --har (HTTP archive)
  open [FILE]              serve the profiler's pages for a file of records or a store
  mcp                      serve the records to an assistant (Model Context Protocol)

Add --help to a command for its options; --version prints the version. The application comes from --app FILE[#EXPORT]: a module that exports an
application, or a function that creates one, as "app" or default; otherwise from LOOKBACK_APP, "lookback": { "app": … }
in package.json, dist/app.js, app.js and other usual files.

Commands on records take --store ADDRESS (default: PROFILER_STORE, else that of the program in this folder); no application is loaded. NO_COLOR=1 turns off colours.
`;

/**
 * Runs one command. Resolves to 0 on success, 1 for a negative result (no match, errors found), 2 if it could not be
 * run.
 */
export async function runCli(args: readonly string[], given: CliOutput): Promise<number> {
  // Error messages quote records and files, which may contain any text.
  const output: CliOutput = { ...given, err: (text) => given.err(visibleText(text)) };
  const { app, rest } = takeApp(args);
  const [command, ...words] = rest;
  if (command === undefined || /^(?:help|--help|-h)$/.test(command)) {
    output.out(wrapUsage(usage, output.columns));
    return command === undefined ? 2 : 0;
  }
  if (/^(?:--version|-v)$/.test(command)) {
    output.out(`${(await import('./new-command.js')).ownManifest().version}\n`);
    return 0;
  }
  try {
    return await runNamed(command, words, app, output);
  } catch (error) {
    const isKnown = ownCommands.has(command);
    const more = isKnown
      ? `"lookback ${command} --help" lists its arguments and options.`
      : '"lookback --help" lists all commands.';
    const isOfApp = !isKnown && command !== 'run';
    const [nearest] =
      isOfApp && app === undefined && error instanceof NoCommandsError ? nearestTo(command) : [];
    // Without an application, a command similar to one of ours is probably a typo.
    if (nearest !== undefined) {
      output.err(`There is no command "${command}". Did you mean "lookback ${nearest}"?\n`);
      return 2;
    }
    if (error instanceof UsageError)
      output.err(`${isOfApp ? unknownCommand(command) : ''}${error.message}\n${more}\n`);
    else if (isCodedError(error)) output.err(`${error.code}: ${error.message}\n${error.fix ?? ''}\n`);
    else {
      output.err(`${describeThrown(error)}\n${stackOf(error)}`);
      return 1;
    }
    return 2;
  }
}

/** Runs the named command. Each command loads only what it needs. */
async function runNamed(
  command: string,
  words: readonly string[],
  app: string | undefined,
  output: CliOutput,
): Promise<number> {
  // An application command with one of these names is run by `lookback run`.
  const own = await ownCommands.get(command)?.(output);
  if (own !== undefined) {
    const given = app === undefined || !Object.hasOwn(own.options, 'app') ? words : ['--app', app, ...words];
    const print = (line: string): void => output.out(`${line}\n`);
    return runCommand(own, given, { log: createLogger({ handlers: [] }), print });
  }
  const { runAppCommand } = await import('./app-command.js');
  if (command !== 'run') return runAppCommand([command, ...words], { app, output });
  const inner = takeApp(words);
  return runAppCommand(inner.rest, { app: inner.app ?? app, output });
}

function nearestTo(command: string): readonly string[] {
  return findNearest(command, [...ownCommands.keys(), 'run']);
}

function unknownCommand(command: string): string {
  const [nearest] = nearestTo(command);
  const advice = nearest === undefined ? '' : ` Did you mean "lookback ${nearest}"?`;
  return `There is no command "${command}".${advice}\nAn application may have it:\n`;
}

/**
 * Extracts `--app FILE` or `--app=FILE` before the command's name. Everything after the name belongs to the command.
 */
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

/** Tools for assistants that are available unchanged as commands. */
const toolCommands = new Map<string, ToolWords>([
  ['problems', {}],
  ['watch', {}],
  ['applications', {}],
  ['find', {}],
  ['compare', { arguments: ['token', 'with'] }],
  ['explain', { tool: 'explain_query', arguments: ['token', 'row'] }],
]);

type LoadCommand = (output: CliOutput) => Promise<Command>;

/** lookback's own commands, each loaded when it is run. Record commands need no application. */
const ownCommands: ReadonlyMap<string, LoadCommand> = new Map<string, LoadCommand>([
  ['new', async (output) => (await import('./new-command.js')).newCommand(output)],
  ['dev', async (output) => (await import('./dev/dev-command.js')).devCommand(output)],
  ['routes', async (output) => (await import('./routes-command.js')).routesCommand(output)],
  ['listeners', async (output) => (await import('./explain-commands.js')).listenersCommand(output)],
  ['firewall', async (output) => (await import('./explain-commands.js')).firewallCommand(output)],
  ['openapi', async (output) => (await import('./openapi-command.js')).openApiCommand(output)],
  ['records', async (output) => (await import('./records/records-command.js')).recordsCommand(output)],
  ...(['errors', 'slow', 'count', 'logs'] as const).map((name): [string, LoadCommand] => [
    name,
    async (output) => (await import('./records/report-commands.js')).reportCommand(output, name),
  ]),
  ['show', async (output) => (await import('./records/show-command.js')).showCommand(output)],
  ['diff', async (output) => (await import('./records/show-command.js')).diffCommand(output)],
  ['replay', async (output) => (await import('./records/mcp-command.js')).replayCommand(output)],
  ...Array.from(toolCommands, ([name, words]): [string, LoadCommand] => [
    name,
    async (output) => (await import('./records/tool-command.js')).toolCommand(output, name, words),
  ]),
  ['agent', async (output) => (await import('./agent-command.js')).agentCommand(output)],
  ['mcp', async () => (await import('./records/mcp-command.js')).mcpCommand()],
  ['export', async (output) => (await import('./records/export-command.js')).exportCommand(output)],
  ['doctor', async (output) => (await import('./doctor-command.js')).doctorCommand(output)],
  ['open', async (output) => (await import('./records/open-command.js')).openCommand(output)],
]);
