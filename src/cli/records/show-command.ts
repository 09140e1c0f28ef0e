import { type Command, createCommand } from '#command';
import { readPage } from '#profiler';
import { type CliOutput, renderJson } from '../command-line/terminal.js';
import { cliErrors } from '../command-line/error-codes.js';
import { storeOption, withRecords } from './open-records.js';

/** `lookback show TOKEN`. */
export function showCommand(output: CliOutput): Command {
  return createCommand(
    'show',
    {
      description: 'Prints a record as Markdown, as its page does, or as JSON. "latest" is the newest.',
      positionals: ['token'],
      options: {
        ...storeOption,
        json: { type: 'boolean', description: 'Print the record as JSON' },
        panel: { type: 'string', description: 'Only one panel: request, exception, logs, db …' },
      },
    },
    ({ options: { store, json, panel }, positionals: [token] }) => {
      if (token === undefined) throw cliErrors.create('CLI_NO_TOKEN', { command: 'show' });
      return withRecords(store, async (archive) => {
        const format = json === true ? 'json' : 'md';
        const { status, text } = await readPage(archive, token, { format, panel });
        const data: unknown = status === 200 && format === 'md' ? undefined : JSON.parse(text);
        if (status === 200) {
          output.out(data === undefined ? text : `${renderJson(data)}\n`);
          return 0;
        }
        output.err(problemWords(data));
        return 1;
      });
    },
  );
}

/** Renders a problem document for a terminal. */
export function problemWords(problem: unknown): string {
  const { title, detail } = problem as Record<'title' | 'detail', string>; // our own problem document
  return `${title}.\n${detail}\n`;
}

/** `lookback diff A B`. */
export function diffCommand(output: CliOutput): Command {
  return createCommand(
    'diff',
    {
      description:
        'Compares two records panel by panel, as Markdown. Without B: with the newest successful one of the same route.',
      positionals: ['first', 'second'],
      options: storeOption,
    },
    ({ options: { store }, positionals: [first, second = 'last-good'] }) => {
      if (first === undefined) throw cliErrors.create('CLI_NO_TOKEN', { command: 'diff' });
      return withRecords(store, async (archive) => {
        const { status, text } = await readPage(archive, first, { format: 'md', against: second });
        if (status === 200) output.out(text);
        else output.err(problemWords(JSON.parse(text)));
        return status === 200 ? 0 : 1;
      });
    },
  );
}
