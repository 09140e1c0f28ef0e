import { type Command, runCommand } from '#core/command';
import { type CliOutput, UsageError } from './command-line/terminal.js';
import { loadApp } from './command-line/load-app.js';

/** Runs a command of the application: `import --file x`. `app` names its module. The application is closed afterwards. */
export async function runAppCommand(
  [name = '', ...args]: readonly string[],
  { app, output }: { readonly app: string | undefined; readonly output: CliOutput },
): Promise<number> {
  const loaded = await loadApp(app);
  try {
    const commands = (await loaded.app?.commands()) ?? [];
    const found = commands.find((one) => one.name === name);
    if (found === undefined || loaded.app === undefined) {
      const list = listCommands(commands);
      if (name !== '--help' && !args.includes('--help'))
        throw new UsageError(name === '' ? `Name a command to run.\n${list}` : list);
      output.out(`${list}\n`);
      return 0;
    }
    return await runCommand(found, args, {
      log: loaded.app.log.channel('command'),
      print: (line) => output.out(`${line}\n`),
    });
  } finally {
    await loaded.app?.close();
  }
}

function listCommands(commands: readonly Command[]): string {
  if (commands.length === 0) return 'The application has no commands.';
  const listed = commands.map(({ name, description }) => `  ${name.padEnd(24)} ${description}`);
  return ['Commands of the application:', ...listed].join('\n');
}
