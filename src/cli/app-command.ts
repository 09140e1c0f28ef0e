import { type Command, runCommand, spokenName } from '#command';
import { type CliOutput, UsageError } from './command-line/terminal.js';
import { loadApp } from './command-line/load-app.js';

/**
 * Runs a command of the application: `import --file x`, `users import`. `app` names its module. The application is closed
 * afterwards.
 */
export async function runAppCommand(
  words: readonly string[],
  { app, output }: { readonly app: string | undefined; readonly output: CliOutput },
): Promise<number> {
  const loaded = await loadApp(app);
  try {
    const commands = (await loaded.app?.commands()) ?? [];
    const found = findCommand(commands, words);
    if (found === undefined || loaded.app === undefined) {
      const [group = ''] = words;
      const ofGroup = commands.filter(({ name }) => name.startsWith(`${group}:`));
      const list = listCommands(ofGroup.length > 0 ? ofGroup : commands);
      if (!words.includes('--help'))
        throw new UsageError(group === '' ? `Name a command to run.\n${list}` : list);
      output.out(`${list}\n`);
      return 0;
    }
    return await runCommand(found.command, found.args, {
      log: loaded.app.log.channel('command'),
      print: (line) => output.out(`${line}\n`),
    });
  } finally {
    await loaded.app?.close();
  }
}

/**
 * Finds the command named by the first word, or by as many words as its name has parts: `users import` is `users:import`.
 */
function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { readonly command: Command; readonly args: readonly string[] } | undefined {
  const maxParts = Math.max(1, ...commands.map(({ name }) => name.split(':').length));
  for (let count = Math.min(maxParts, words.length); count > 0; count--) {
    const name = words.slice(0, count).join(':');
    const command = commands.find((one) => one.name === name);
    if (command !== undefined) return { command, args: words.slice(count) };
  }
  return undefined;
}

function listCommands(commands: readonly Command[]): string {
  if (commands.length === 0) return 'The application has no commands.';
  const listed = commands.map(({ name, description }) => `  ${spokenName(name).padEnd(24)} ${description}`);
  return ['Commands of the application:', ...listed].join('\n');
}
