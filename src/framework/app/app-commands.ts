import { type Command, createCommand } from '#command';
import { frameworkErrors } from '../configuration/error-codes.js';
import type { App } from './app.js';
import type { Extension } from './extension.js';

/** Creates the methods of an application that define and list commands. */
export function createCommands(
  extensions: readonly Extension[],
  app: () => App,
): Pick<App, 'command' | 'commands'> {
  const own: Command[] = [];
  return {
    command(name, definition, run) {
      if (own.some((command) => command.name === name))
        throw frameworkErrors.create('FRAMEWORK_DUPLICATE_COMMAND', { name });
      own.push(createCommand(name, definition, run));
      return app();
    },
    async commands() {
      const added = await Promise.all(
        extensions.map(async (extension) => (await extension.commands?.()) ?? []),
      );
      const names = new Set(own.map(({ name }) => name));
      return [...own, ...added.flat().filter(({ name }) => !names.has(name))];
    },
  };
}
