import { type Command, createCommand } from '#command';
import { readPage } from '#profiler';
import { type CliOutput, readNumber } from '../command-line/terminal.js';
import { readQueryWords } from './list-commands.js';
import { listAll, type OpenedArchive, storeOption, withRecords } from './open-records.js';

/** `lookback export`. */
export function exportCommand(output: CliOutput): Command {
  return createCommand(
    'export',
    {
      description:
        'Writes the records that match a query to standard output, newest first, as JSON lines.\n' +
        'Every command accepts a file of JSON lines as --store records.jsonl.',
      positionals: ['query…'],
      options: {
        ...storeOption,
        limit: { type: 'string', short: 'n', default: '1000', description: 'Maximum number of records' },
      },
    },
    ({ options: { store, limit }, positionals }) =>
      withRecords(store, async (archive) => {
        const tokens = await tokensOf(archive, { words: positionals, limit: readNumber('limit', limit) });
        for (const token of tokens) {
          const { status, text } = await readPage(archive, token, { format: 'json' });
          if (status === 200) output.out(`${text}\n`);
        }
        return tokens.length === 0 ? 1 : 0;
      }),
  );
}

async function tokensOf(
  archive: OpenedArchive,
  { words, limit }: { readonly words: readonly string[]; readonly limit: number },
): Promise<readonly string[]> {
  const tokens: string[] = [];
  for await (const { token } of listAll(archive, { where: readQueryWords(archive, words) })) {
    tokens.push(token);
    if (tokens.length >= limit) break;
  }
  return tokens;
}
