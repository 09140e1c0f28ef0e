import { existsSync } from 'node:fs';
import { type Command, createCommand } from '#command';
import type { Retention, StoreTally } from '#profiler';
import { checkSqliteFile, createStore, repairSqliteFile } from '#profiler';
import type { CliOutput } from '../command-line/cli-output.js';
import { cliErrors } from '../command-line/error-codes.js';
import { UsageError } from '../command-line/usage-error.js';
import { storeAddress, storeOption, unbounded, withRecords } from './open-records.js';

/** Records that `store check` reads. */
const maxRead = 10_000;

/** `lookback store check|prune|repair`. */
export function storeCommand(output: CliOutput): Command {
  return createCommand(
    'store',
    {
      description:
        'check: reads the file and its newest 10,000 records; exit code 1 where something is damaged, 2 where it cannot be read\n' +
        'prune: removes what is beyond the bounds given\n' +
        'repair: puts a damaged SQLite file aside and its readable records into a new one; with --from, those of a file put aside before',
      positionals: ['check|prune|repair'],
      options: {
        ...storeOption,
        'max-count': { type: 'string', description: 'Records that are kept' },
        'max-age': { type: 'string', description: 'Seconds that records are kept' },
        'max-bytes': { type: 'string', description: 'Bytes that the records may take' },
        all: { type: 'boolean', description: 'Of prune: all records' },
        from: { type: 'string', description: 'Of repair: the file that was put aside' },
      },
    },
    async ({ options, positionals: [action] }) => {
      const address = storeAddress(options.store);
      if (action === 'check') return check(address, output);
      if (action === 'repair') return repair(address, { from: options.from, output });
      if (action !== 'prune') throw new UsageError('Say what to do with the store: check, prune or repair.');
      const [count, age, bytes] = (['max-count', 'max-age', 'max-bytes'] as const).map((name) =>
        readBound(name, options[name]),
      );
      if (options.all !== true && (count ?? age ?? bytes) === undefined)
        throw new UsageError('Give a bound (--max-count, --max-age, --max-bytes), or --all.');
      const retention = {
        ...unbounded,
        ...(count === undefined ? {} : { records: count }),
        ...(age === undefined ? {} : { ageMs: age * 1000 }),
        ...(bytes === undefined ? {} : { bytes }),
      };
      return prune(address, { bounds: retention, isAll: options.all === true, output });
    },
  );
}

async function check(address: string, output: CliOutput): Promise<number> {
  const path = fileOf(address);
  const problem = path === undefined ? undefined : checkSqliteFile(path);
  if (problem !== undefined) {
    output.err(`${address}: ${problem}\n`);
    return 1;
  }
  return withRecords(address, async (archive) => {
    let read = 0;
    const broken: string[] = [];
    let before: string | undefined;
    do {
      const page = await archive.list({ limit: 1000, ...(before === undefined ? {} : { before }) });
      for (const { token } of page.rows) {
        const { kind } = await archive.find(token);
        if (kind === 'unreadable') broken.push(token);
        read++;
      }
      before = page.next ?? undefined;
    } while (before !== undefined && read < maxRead);
    const { groups } = await archive.totals({ isCountOnly: true });
    output.out(
      `${address}: ${groups[0]?.count ?? 0} records, ${read} of them read, ${broken.length} unreadable.\n`,
    );
    for (const token of broken) output.err(`${token} cannot be read.\n`);
    return broken.length === 0 ? 0 : 1;
  });
}

async function prune(
  address: string,
  {
    bounds,
    isAll,
    output,
  }: { readonly bounds: Partial<Retention>; readonly isAll: boolean; readonly output: CliOutput },
): Promise<number> {
  await withRecords(address, (archive) => archive.list({ limit: 1 })); // it is there, and ours
  const store = createStore(address, bounds);
  try {
    let tally: StoreTally = await store.prune();
    if (isAll) {
      await store.prune('app');
      tally = await store.prune('profiler');
    }
    output.out(`${address}: ${tally.records} records are left, ${tally.bytes} bytes.\n`);
    return 0;
  } finally {
    await store.close();
  }
}

async function repair(
  address: string,
  { from, output }: { readonly from: string | undefined; readonly output: CliOutput },
): Promise<number> {
  const path = fileOf(address);
  if (path === undefined) throw new UsageError('Only a SQLite file can be repaired.');
  if (from !== undefined && !existsSync(from)) throw new UsageError(`There is no file ${from}.`);
  if (from === undefined && (await check(address, output)) === 0) return 0;
  const { damaged, records, expected, notes, keepsTokens } = repairSqliteFile(path, from);
  const all = expected === undefined ? '' : ` of ${expected}`;
  output.out(
    `${address}: ${records}${all} records and ${notes} notes could be read in ${damaged} and are stored.\n` +
      (keepsTokens ? '' : 'Their tokens are not what they were: the key of the tokens could not be read.\n'),
  );
  return 0;
}

function fileOf(address: string): string | undefined {
  return address.startsWith('sqlite:')
    ? address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
    : undefined;
}

function readBound(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bound = Number(text);
  if (Number.isSafeInteger(bound) && bound >= 1) return bound;
  throw cliErrors.create('CLI_BAD_QUERY', { problem: `--${name} is a whole number from 1, not "${text}".` });
}
