import type { Command } from '#command';
import type { CliOutput } from '../command-line/cli-output.js';
import { completionCommand } from './completion-command.js';
import { exportCommand } from './export-command.js';
import { importCommand } from './import-command.js';
import { listCommands } from './list-commands.js';
import { openCommand } from './open-command.js';
import { diffCommand, showCommand } from './show-command.js';
import { mcpCommand, replayCommand } from './mcp-command.js';
import { storeCommand } from './store-command.js';

/** A command on records by its name; they need no application. `others` are completed in shells as well. */
export function findRecordCommand(
  name: string,
  output: CliOutput,
  others: () => Promise<readonly Command[]>,
): Command | undefined {
  const commands: Command[] = [
    ...listCommands(output),
    showCommand(output),
    diffCommand(output),
    storeCommand(output),
    replayCommand(output),
    mcpCommand(),
    exportCommand(output),
    importCommand(output),
    openCommand(output),
  ];
  commands.push(completionCommand(async () => [...(await others()), ...commands], output));
  return commands.find((one) => one.name === name);
}
