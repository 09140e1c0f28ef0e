import { type Command, createCommand } from '#core/command';
import { visibleJson } from '#core/html';
import { loadTools, readPage } from '#profiler';
import { type CliOutput, renderJson } from '../command-line/terminal.js';
import { cliErrors } from '../command-line/error-codes.js';
import { jsonOption, type OpenedArchive, storeOption, withRecords } from './open-records.js';
import { readQueryWords } from './records-command.js';

export function showCommand(output: CliOutput): Command {
  return createCommand(
    'show',
    {
      description:
        'Prints a record as Markdown, as its page does, or as JSON. "latest" is the newest, a query such as status:500 the newest that matches.',
      positionals: ['token'],
      options: {
        ...storeOption,
        json: { type: 'boolean', description: 'Print the record as JSON' },
        panel: { type: 'string', description: 'Only one panel: request, exception, logs, db …' },
      },
    },
    ({ options: { store, json, panel }, positionals: [token] }) => {
      if (token === undefined) throw cliErrors.create('CLI_NO_TOKEN', { command: 'show' });
      return printPage(output, store, token, { format: json === true ? 'json' : 'md', panel });
    },
  );
}

function printPage(
  output: CliOutput,
  store: string | undefined,
  token: string,
  options: Parameters<typeof readPage>[2],
): Promise<number> {
  return withRecords(store, async (archive) => {
    const found = await newestOf(archive, token);
    if (found === undefined) {
      output.err('No record matches.\n');
      return 1;
    }
    const { status, text } = await readPage(archive, found, options);
    if (status === 200) output.out(options.format === 'json' ? `${visibleJson(text)}\n` : text);
    else output.err(problemWords(text));
    return status === 200 ? 0 : 1;
  });
}

/** Returns a token as it is; for a query, the token of the newest record that matches, if any. */
async function newestOf(archive: OpenedArchive, words: string): Promise<string | undefined> {
  if (!/[:\s]/.test(words)) return words; // no token has these characters
  const where = readQueryWords(archive, [words]);
  return (await archive.list({ origin: 'app', where, limit: 1 })).rows[0]?.token;
}

export function problemWords(problem: string): string {
  const { title, detail } = JSON.parse(problem) as Record<'title' | 'detail', string>; // we define it ourselves
  return `${title}.\n${detail}\n`;
}

export function diffCommand(output: CliOutput): Command {
  return createCommand(
    'diff',
    {
      description:
        'Compares two records as Markdown: outcome, what was sent, first different step, time. Without B: with the last successful request to the same route before it.',
      positionals: ['first', 'second'],
      options: { ...storeOption, ...jsonOption },
    },
    ({ options: { store, json }, positionals: [first, second = 'last-good'] }) => {
      if (first === undefined) throw cliErrors.create('CLI_NO_TOKEN', { command: 'diff' });
      if (json !== true) return printPage(output, store, first, { format: 'md', against: second });
      return withRecords(store, async (archive) => {
        const found = await archive.find(first);
        if (found.kind !== 'found') {
          output.err(`There is no record ${first}.\n`);
          return 1;
        }
        const { compareFindings, findOther } = await loadTools();
        const other = await findOther(archive, found.record, second);
        if (typeof other === 'string') {
          output.err(`${other}\n`);
          return 1;
        }
        output.out(`${renderJson(compareFindings(found.record, other).data)}\n`);
        return 0;
      });
    },
  );
}
