import type { Command } from '#command';
import type { CliOutput } from './command-line/cli-output.js';

/** The commands about an application, each loaded where it is run. */
export const ownCommands: ReadonlyMap<string, (output: CliOutput) => Promise<Command>> = new Map([
  ['new', async (output) => (await import('./new/new-command.js')).newCommand(output)],
  ['dev', async (output) => (await import('./dev/dev-command.js')).devCommand(output)],
  ['routes', async (output) => (await import('./routes-command.js')).routesCommand(output)],
  ['openapi', async (output) => (await import('./openapi-command.js')).openApiCommand(output)],
]);
