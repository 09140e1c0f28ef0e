import { statSync } from 'node:fs';
import { openArchive, openStore, type ProfileQuery, type ProfileSummary } from '#profiler';
import { stateStoreAddress } from '#recording';
import { UsageError } from '../command-line/terminal.js';

/** Default store of the framework. */
const ownStore = 'sqlite:var/profiler.db';

export type OpenedArchive = Awaited<ReturnType<typeof openArchive>>;

/** Options of commands that print lines. */
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

/**
 * Returns the address of the store: the given one, that of the environment, or the default. Throws a `UsageError` if it
 * is not the address of a store that can be opened.
 */
export function storeAddress(given: string | undefined): string {
  const named = process.env['PROFILER_STORE'];
  const address = given ?? (named === undefined || named === '' ? defaultStore() : named);
  if (address === 'memory:' || address === 'off')
    throw new UsageError(`The store "${address}" exists only within its own process, so it cannot be read.`);
  return address.includes(':') ? address : `sqlite:${address}`;
}

/**
 * Returns the store of the program in this folder: `var/profiler.db` of the framework, or the file in the user's state
 * folder for all others; if there are both, the one that was written last.
 */
function defaultStore(): string {
  const [latest] = [ownStore, stateStoreAddress()]
    .map((address) => ({ address, writtenAt: lastWrite(address.slice('sqlite:'.length)) }))
    .toSorted((one, other) => other.writtenAt - one.writtenAt);
  return latest === undefined || latest.writtenAt === 0 ? ownStore : latest.address;
}

/** Returns when a file or its write-ahead log was written, in milliseconds since 1970; 0 if there is none. */
function lastWrite(path: string): number {
  const times = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}

/** Returns whether an address is that of a file of records: JSON or JSON lines. */
function isRecordFile(address: string): boolean {
  return /^(?!sqlite:).*\.jsonl?$/.test(address);
}

/** Opens the records of a store or a file, runs `use`, and closes them. */
export async function withRecords<Result>(
  given: string | undefined,
  use: (archive: OpenedArchive) => Promise<Result>,
): Promise<Result> {
  if (given !== undefined && isRecordFile(given)) {
    const { readRecordFile } = await import('./read-record-file.js');
    const archive = await openArchive(readRecordFile(given));
    return use(archive).finally(() => archive.close());
  }
  const address = storeAddress(given);
  const store = openStore(address, { isReadOnly: true });
  try {
    return await use(await openArchive(store));
  } finally {
    await store.close();
  }
}

/** Yields the rows that match, newest first, page by page. */
export async function* listAll(
  archive: OpenedArchive,
  query: ProfileQuery = {},
): AsyncGenerator<ProfileSummary> {
  for (let before: string | undefined; ;) {
    const { rows, next } = await archive.list({
      ...query,
      limit: 1000,
      ...(before === undefined ? {} : { before }),
    });
    yield* rows;
    if (next === null) return;
    before = next;
  }
}
