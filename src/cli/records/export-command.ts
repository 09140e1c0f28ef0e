import { type Command, createCommand } from '#core/command';
import { visibleJson } from '#core/html';
import { type ProfileQuery, type ProfileSummary, readPage } from '#profiler';
import { type CliOutput, readNumber } from '../command-line/terminal.js';
import { readQueryWords } from './records-command.js';
import { type OpenedArchive, storeOption, withRecords } from './open-records.js';
import { problemWords } from './show-command.js';

export function exportCommand(output: CliOutput): Command {
  return createCommand(
    'export',
    {
      description:
        'Writes the records that match a query to standard output, newest first: as JSON lines or an HTTP archive.\n' +
        'Every command accepts a file of JSON lines as --store records.jsonl.',
      positionals: ['query…'],
      options: {
        ...storeOption,
        har: { type: 'boolean', description: 'HTTP archive 1.2, as browsers read it' },
        limit: { type: 'string', short: 'n', default: '1000', description: 'Maximum number of records' },
      },
    },
    ({ options: { store, har, limit }, positionals }) =>
      withRecords(store, async (archive) => {
        const query = { where: readQueryWords(archive, positionals) };
        const max = readNumber('limit', limit);
        let [read, written, problem] = [0, 0, ''];
        for await (const { token } of listAll(archive, query)) {
          const { status, text } = await readPage(archive, token, { format: har === true ? 'har' : 'json' });
          if (status !== 200) problem = problemWords(text);
          else if (har === true) output.out(harPart(text, written === 0 ? 'first' : 'later'));
          else output.out(`${text}\n`);
          if (status === 200) written++;
          if (++read === max) break;
        }
        if (har === true && written > 0) output.out('\n]}}\n');
        if (read === 0) output.err('No record matches.\n');
        if (written < read) output.err(`${read - written} of ${read} records cannot be read. ${problem}`);
        return written === 0 ? 1 : 0;
      }),
  );
}

/** Yields matching rows, newest first, page by page. */
async function* listAll(archive: OpenedArchive, query: ProfileQuery): AsyncGenerator<ProfileSummary> {
  for (let before: string | null | undefined; before !== null;) {
    const page = await archive.list({ ...query, limit: 1000, ...(before === undefined ? {} : { before }) });
    yield* page.rows;
    before = page.next;
  }
}

const entriesBegin = '"entries":[';

/** Extracts the entry from a single-record HTTP archive, preceded by the whole archive's opening if it is the first. */
function harPart(text: string, location: 'first' | 'later'): string {
  const begin = text.indexOf(entriesBegin) + entriesBegin.length; // we wrote this, and no recorded text precedes it
  const entry = visibleJson(text.slice(begin, text.lastIndexOf(']')));
  return `${location === 'first' ? text.slice(0, begin) : ','}\n${entry}`;
}
