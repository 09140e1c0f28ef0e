import { existsSync } from 'node:fs';
import { type Command, createCommand } from '#command';
import type { Retention, StoreTally } from '#profiler';
import { checkSqliteFile, createStore, repairSqliteFile } from '#profiler';
import type { CliOutput } from '../command-line/cli-output.js';
import { readNumber } from '../command-line/read-number.js';
import { UsageError } from '../command-line/usage-error.js';
import {
  listAll,
  type OpenedArchive,
  storeAddress,
  storeOption,
  unbounded,
  withRecords,
} from './open-records.js';

/** Number of records that `store check` reads from a store on a server. */
const maxRead = 10_000;

/** `lookback store check|prune|repair`. */
export function storeCommand(output: CliOutput): Command {
  return createCommand(
    'store',
    {
      description:
        'check: reads every record of a file, or the newest 10,000 of a server; exit code 1 if something is damaged, 2 if it cannot be read\n' +
        'prune: removes records beyond the given limits\n' +
        'repair: sets a damaged SQLite file aside and writes its readable records to a new one; --from: reads a file set aside before',
      positionals: ['check|prune|repair'],
      options: {
        ...storeOption,
        'max-count': { type: 'string', description: 'Maximum number of records' },
        'max-age': { type: 'string', description: 'Maximum age of records, in seconds' },
        'max-bytes': { type: 'string', description: 'Maximum size of all records, in bytes' },
        all: { type: 'boolean', description: 'prune: remove all records' },
        from: { type: 'string', description: 'repair: the file that was set aside' },
      },
    },
    async ({ options, positionals: [action] }) => {
      const address = storeAddress(options.store);
      if (action === 'check') return check(address, output);
      if (action === 'repair') return repair(address, { from: options.from, output });
      if (action !== 'prune') throw new UsageError('Name the action: check, prune or repair.');
      const [count, age, bytes] = (['max-count', 'max-age', 'max-bytes'] as const).map((name) => {
        const text = options[name];
        return text === undefined ? undefined : readNumber(name, text);
      });
      if (options.all !== true && (count ?? age ?? bytes) === undefined)
        throw new UsageError('Pass a limit (--max-count, --max-age, --max-bytes), or --all.');
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
    const { groups } = await archive.totals({ isCountOnly: true });
    const count = groups[0]?.count ?? 0;
    // `checkSqliteFile` has read every record of a file.
    const { read, broken } = path === undefined ? await readNewest(archive) : { read: count, broken: [] };
    output.out(`${address}: ${count} records, ${read} of them read, ${broken.length} unreadable.\n`);
    for (const token of broken) output.err(`${token} cannot be read.\n`);
    return broken.length === 0 ? 0 : 1;
  });
}

async function readNewest(archive: OpenedArchive): Promise<{ read: number; broken: readonly string[] }> {
  let read = 0;
  const broken: string[] = [];
  for await (const { token } of listAll(archive)) {
    if (read === maxRead) break;
    if ((await archive.find(token)).kind === 'unreadable') broken.push(token);
    read++;
  }
  return { read, broken };
}

async function prune(
  address: string,
  {
    bounds,
    isAll,
    output,
  }: { readonly bounds: Partial<Retention>; readonly isAll: boolean; readonly output: CliOutput },
): Promise<number> {
  await withRecords(address, (archive) => archive.list({ limit: 1 })); // throws unless the store exists and is ours
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
    `${address}: ${records}${all} records and ${notes} notes in ${damaged} were recovered.\n` +
      (keepsTokens ? '' : 'Their tokens have changed: the key of the tokens could not be read.\n'),
  );
  return 0;
}

function fileOf(address: string): string | undefined {
  return address.startsWith('sqlite:')
    ? address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
    : undefined;
}
