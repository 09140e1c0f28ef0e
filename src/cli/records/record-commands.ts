import { type Command, runCommand } from '#command';
import { createLogger } from '#log';
import type { CliOutput } from '../command-line/cli-output.js';
import { completionCommand } from './completion-command.js';
import { exportCommand } from './export-command.js';
import { listCommands } from './list-commands.js';
import { openCommand } from './open-command.js';
import { diffCommand, showCommand } from './show-command.js';
import { mcpCommand, replayCommand } from './mcp-command.js';
import { storeCommand } from './store-command.js';

/** Runs a command on records; they need no application. */
export async function runRecordCommand(
  name: string,
  args: readonly string[],
  output: CliOutput,
): Promise<number> {
  const commands: Command[] = [
    ...listCommands(output),
    showCommand(output),
    diffCommand(output),
    storeCommand(output),
    replayCommand(output),
    mcpCommand(),
    exportCommand(output),
    openCommand(output),
  ];
  commands.push(completionCommand(commands, output));
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw new TypeError(`There is no command ${name}.`);
  const log = createLogger({ handlers: [] });
  return runCommand(command, args, { log, print: (line) => output.out(`${line}\n`) });
}
