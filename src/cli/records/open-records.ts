import {
  createStore,
  openArchive,
  type ProfileQuery,
  type ProfileSummary,
  type Retention,
  storeNameOf,
} from '#profiler';
import { UsageError } from '../command-line/usage-error.js';

const defaultStoreAddress = 'sqlite:var/profiler.db';

const noLimit = Number.MAX_SAFE_INTEGER;
/** Retention without bounds: the bounds of the application are for the application to apply. */
export const unbounded: Retention = {
  records: noLimit,
  ageMs: noLimit,
  bytes: noLimit,
  profilerRecords: noLimit,
};

export type OpenedArchive = Awaited<ReturnType<typeof openArchive>>;

/** Option of every command on records, with the location of the records. */
export const storeOption: { readonly store: { readonly type: 'string'; readonly description: string } } = {
  store: {
    type: 'string',
    description: `Address of the store, or a file of records (default: PROFILER_STORE, else ${defaultStoreAddress})`,
  },
};

/**
 * Returns the address of the store: the given one, that of the environment, or the default. Throws a `UsageError` if it
 * is not the address of a store that can be opened.
 */
export function storeAddress(given: string | undefined): string {
  const named = process.env['PROFILER_STORE'];
  const address = given ?? (named === undefined || named === '' ? defaultStoreAddress : named);
  if (address === 'memory:' || address === 'off')
    throw new UsageError(`The store "${address}" exists only within its own process, so it cannot be read.`);
  if (isRecordFile(address))
    throw new UsageError(
      `${address} is a file of records, and this command needs a store: "lookback import ${address}" adds them to one.`,
    );
  return address.includes(':') ? address : `sqlite:${address}`;
}

/** Returns whether an address is that of a file of records: JSON, JSON lines, or an HTTP archive. */
function isRecordFile(address: string): boolean {
  return /^(?!sqlite:).*\.(?:jsonl?|har)$/.test(address);
}

/** Opens the records of a store or a file, runs `use`, and closes them. */
export async function withRecords<Result>(
  given: string | undefined,
  use: (archive: OpenedArchive) => Promise<Result>,
): Promise<Result> {
  if (given !== undefined && isRecordFile(given)) {
    const { readRecordFile } = await import('./read-record-file.js');
    return use(await openArchive(readRecordFile(given).records, given));
  }
  const address = storeAddress(given);
  const store = createStore(address, {}, { isReadOnly: true });
  try {
    return await use(await openArchive(store, storeNameOf(address)));
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
