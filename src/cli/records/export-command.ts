import { type Command, createCommand } from '#command';
import { readPage } from '#profiler';
import { type CliOutput, readNumber, renderJson } from '../command-line/terminal.js';
import { readQueryWords } from './list-commands.js';
import { listAll, type OpenedArchive, storeOption, withRecords } from './open-records.js';

/** `lookback export`. */
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
        const tokens = await tokensOf(archive, { words: positionals, limit: readNumber('limit', limit) });
        if (har === true) await exportHar(archive, tokens, output);
        else
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

async function exportHar(
  archive: OpenedArchive,
  tokens: readonly string[],
  output: CliOutput,
): Promise<void> {
  let begun = false;
  for (const token of tokens) {
    const { status, text } = await readPage(archive, token, { format: 'har' });
    if (status !== 200) continue;
    const { log } = JSON.parse(text) as { log: { entries: readonly unknown[] } }; // rendered by our own code
    const { entries, ...head } = log;
    if (!begun) output.out(`{"log":${JSON.stringify(head).slice(0, -1)},"entries":[`);
    output.out((begun ? ',\n' : '\n') + entries.map((entry) => renderJson(entry)).join(',\n'));
    begun = true;
  }
  if (begun) output.out('\n]}}\n');
}
