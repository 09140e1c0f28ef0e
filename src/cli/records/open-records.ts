import { readFileSync, statSync } from 'node:fs';
import { openArchive, openStore, type ProfileRecord, readRecords } from '#profiler';
import { stateStoreAddress, whyInMemory } from '#profiler/setup';
import { cliErrors } from '../command-line/error-codes.js';
import { UsageError } from '../command-line/terminal.js';

const ownStore = 'sqlite:var/profiler.db';

export type OpenedArchive = Awaited<ReturnType<typeof openArchive>>;

export const jsonOption = {
  json: { type: 'boolean', description: 'Print JSON, one line per entry' },
} as const;
export const maxLines = 1000;
export const limitOption = {
  limit: { type: 'string', short: 'n', default: '20', description: 'Maximum number of lines, up to 1,000' },
} as const;

/** Option of every command on records, with the location of the records. */
export const storeOption = {
  store: {
    type: 'string',
    description:
      'Address of the store, or a file of records (default: PROFILER_STORE, else that of the program in this folder)',
  },
} as const;

/** Returns the address of the store: given, of the environment, or the default. Throws a `UsageError` for a bad one. */
function storeAddress(given: string | undefined): string {
  const named = process.env['PROFILER_STORE'];
  const address = given ?? (named === undefined || named === '' ? defaultStore() : named);
  if (address === 'off') throw new UsageError('The store is "off": nothing is recorded.');
  if (address === 'memory:')
    throw new UsageError(
      'The store is "memory:": records in memory cannot be read from another process. Start the program with a store ' +
        'that both can open, such as PROFILER_STORE=sqlite:var/profiler.db, or open the pages of the program itself.',
    );
  return address.includes(':') ? address : `sqlite:${address}`;
}

/**
 * Returns the store of the program in this folder: `var/profiler.db` of the framework, or the file in the user's state
 * folder for all others; if there are both, the one that was written last. Throws a `UsageError` if there is none and the
 * latter cannot be made.
 */
function defaultStore(): string {
  const [latest] = [ownStore, stateStoreAddress()]
    .map((address) => ({ address, writtenAt: lastWrite(address.slice('sqlite:'.length)) }))
    .toSorted((one, other) => other.writtenAt - one.writtenAt);
  if (latest !== undefined && latest.writtenAt > 0) return latest.address;
  const why = whyInMemory();
  if (why === undefined) return ownStore;
  throw new UsageError(
    `There is no ${ownStore.slice('sqlite:'.length)} of an application of lookback in this folder, and other programs keep ` +
      `their records in memory, as ${why}: set PROFILER_STORE.`,
  );
}

/** Returns when a file or its write-ahead log was written, in milliseconds since 1970; 0 if there is none. */
function lastWrite(path: string): number {
  const times = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}

/** Maximum size of a file in bytes, as it is read as a whole. A record usually has about 10,000. */
const maxBytes = 256 * 1024 * 1024;

/** Reads the records of a file. Throws `CLI_BAD_RECORD_FILE`. */
function readRecordFile(path: string): readonly ProfileRecord[] {
  let read: readonly ProfileRecord[] | string;
  try {
    read =
      statSync(path).size > maxBytes
        ? `it has more than ${maxBytes / 1024 / 1024} MiB: split it by lines`
        : readRecords(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    read = isMissing ? 'it does not exist' : error instanceof Error ? error.message : 'it cannot be read';
  }
  if (typeof read === 'string') throw cliErrors.create('CLI_BAD_RECORD_FILE', { path, problem: read });
  return read;
}

/** Opens the records of a store or of a file (JSON or JSON lines), runs `use`, and closes them. */
export async function withRecords<Result>(
  given: string | undefined,
  use: (archive: OpenedArchive, address: string) => Promise<Result>,
): Promise<Result> {
  const file = given !== undefined && /^(?!sqlite:).*\.jsonl?$/.test(given) ? given : undefined;
  const address = file ?? storeAddress(given);
  const records = file === undefined ? openStore(address, { isReadOnly: true }) : readRecordFile(file);
  const archive = await openArchive(records);
  return use(archive, address).finally(() => archive.close());
}
