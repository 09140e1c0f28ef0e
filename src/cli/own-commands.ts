import type { Command } from '#command';
import type { CliOutput } from './command-line/cli-output.js';

type Make = (output: CliOutput) => Promise<Command>;

/** The commands about an application, each loaded where it is run. */
export const ownCommands: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['new', async (output) => (await import('./new/new-command.js')).newCommand(output)],
  ['dev', async (output) => (await import('./dev/dev-command.js')).devCommand(output)],
  ['routes', async (output) => (await import('./routes-command.js')).routesCommand(output)],
  ['openapi', async (output) => (await import('./openapi-command.js')).openApiCommand(output)],
]);

/** The commands on records, which need no application, each loaded where it is run. */
export const recordCommands: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['records', async (output) => (await import('./records/list-commands.js')).recordsCommand(output)],
  ['errors', async (output) => (await import('./records/list-commands.js')).errorsCommand(output)],
  ['slow', async (output) => (await import('./records/list-commands.js')).slowCommand(output)],
  ['show', async (output) => (await import('./records/show-command.js')).showCommand(output)],
  ['diff', async (output) => (await import('./records/show-command.js')).diffCommand(output)],
  ['store', async (output) => (await import('./records/store-command.js')).storeCommand(output)],
  ['replay', async (output) => (await import('./records/mcp-command.js')).replayCommand(output)],
  ['mcp', async () => (await import('./records/mcp-command.js')).mcpCommand()],
  ['export', async (output) => (await import('./records/export-command.js')).exportCommand(output)],
  ['import', async (output) => (await import('./records/import-command.js')).importCommand(output)],
  ['open', async (output) => (await import('./records/open-command.js')).openCommand(output)],
  ['completion', makeCompletion],
]);

async function makeCompletion(output: CliOutput): Promise<Command> {
  const { completionCommand } = await import('./records/completion-command.js');
  return completionCommand(async () => {
    const others = [...ownCommands, ...recordCommands].filter(([name]) => name !== 'completion');
    const found = await Promise.all(others.map(([, make]) => make(output)));
    return [...found, completionCommand(() => Promise.resolve([]), output)];
  }, output);
}
