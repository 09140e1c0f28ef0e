import type * as Transformer from '@opentelemetry/otlp-transformer';
import { type Command, createCommand } from '#command';
import { visibleJson } from '#html';
import { checkPackage, supportedPackages } from '#patches';
import { type ProfileRecord, readPage } from '#profiler';
import { type CliOutput, readNumber, renderJson } from '../command-line/terminal.js';
import { cliErrors } from '../command-line/error-codes.js';
import { readQueryWords } from './list-commands.js';
import { listAll, type OpenedArchive, storeOption, withRecords } from './open-records.js';

/** Number of records per line of OTLP. */
const recordsPerLine = 100;

/** `lookback export`. */
export function exportCommand(output: CliOutput): Command {
  return createCommand(
    'export',
    {
      description:
        'Writes the records that match a query to standard output, newest first: as JSON lines, an HTTP archive, or OTLP.\n' +
        'Every command accepts a file of JSON lines as --store records.jsonl.',
      positionals: ['query…'],
      options: {
        ...storeOption,
        jsonl: { type: 'boolean', description: 'One record as JSON on each line (the default)' },
        har: { type: 'boolean', description: 'HTTP archive 1.2, as browsers read it' },
        otlp: {
          type: 'boolean',
          description:
            'Traces and logs of OpenTelemetry as JSON lines; needs @opentelemetry/otlp-transformer',
        },
        limit: { type: 'string', short: 'n', default: '1000', description: 'Maximum number of records' },
      },
    },
    ({ options: { store, har, otlp, limit }, positionals }) =>
      withRecords(store, async (archive) => {
        const tokens = await tokensOf(archive, { words: positionals, limit: readNumber('limit', limit) });
        if (otlp === true) await exportOtlp(archive, tokens, output);
        else if (har === true) await exportHar(archive, tokens, output);
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

async function exportOtlp(
  archive: OpenedArchive,
  tokens: readonly string[],
  output: CliOutput,
): Promise<void> {
  const { JsonLogsSerializer, JsonTraceSerializer } = await loadTransformer();
  const { toOtlpLogs, toOtlpSpans } = await import('#telemetry');
  const decoder = new TextDecoder();
  const write = (bytes: Uint8Array | undefined): void => {
    if (bytes !== undefined) output.out(`${visibleJson(decoder.decode(bytes))}\n`);
  };
  for (let from = 0; from < tokens.length; from += recordsPerLine) {
    const found = await Promise.all(
      tokens.slice(from, from + recordsPerLine).map((token) => archive.find(token)),
    );
    const records: ProfileRecord[] = found.flatMap((one) => (one.kind === 'found' ? [one.record] : []));
    const lines = records.flatMap((record) => toOtlpLogs(record));
    const spans = records.flatMap((record) => toOtlpSpans(record));
    write(JsonTraceSerializer.serializeRequest(spans as never)); // the package's type demands more than it reads
    if (lines.length > 0) write(JsonLogsSerializer.serializeRequest(lines as never)); // as above
  }
}

async function loadTransformer(): Promise<typeof Transformer> {
  checkPackage('@opentelemetry/otlp-transformer', supportedPackages['@opentelemetry/otlp-transformer']);
  try {
    return await import('@opentelemetry/otlp-transformer');
  } catch (cause) {
    throw cliErrors.create('CLI_NO_OTLP', {}, { cause });
  }
}
