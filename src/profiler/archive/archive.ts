import type { Profiler } from '../model/profiler.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileStore, StoreSearch } from '../model/profile-store.js';
import { searchedFields, columnsWith } from '../form/summary-columns.js';
import { LateNotes } from '../find/late-notes.js';
import { MarkedReader } from '../find/marked-reader.js';
import { emptyReasonCounts } from '../store/policy/retention.js';
import { createTokenCodec, type TokenCodec } from '../store/tokens/token-codec.js';
import { ownParts } from './own-parts.js';
import { searchSegments } from '../find/search-rows.js';
import { totalRows } from '../find/total-rows.js';
import type { SegmentRows } from '../find/find-rows.js';
import { SummaryWriter } from '../form/summary-writer.js';
import { importedPart } from '../form/imported-part.js';
import { storeErrors } from '../store/policy/error-codes.js';
import { StoreNotifier } from '../store/store-notifier.js';
import { originOf, summaryOf } from './summary-of-record.js';

export { checkSqliteFile, repairSqliteFile } from '../store/sqlite/check-sqlite-file.js';

/** Read-only access to the records of a store. */
export interface RecordArchive extends Pick<
  Profiler,
  'find' | 'list' | 'totals' | 'news' | 'onNews' | 'collected' | 'counters' | 'state' | 'close'
> {
  readonly store: ProfileStore;
}

/**
 * Opens a store, or records in memory, for reading: for tools outside the process that records. Unlike a profiler, it
 * does not hide a failing store: every method rejects with its error.
 */
export async function openArchive(
  source: ProfileStore | readonly ProfileRecord[],
  storeName: string,
): Promise<RecordArchive> {
  // Records in memory are already complete, so they need no parts.
  const isStore = 'search' in source;
  const list = createRecordList(isStore ? [] : source, storeName);
  const store = isStore ? source : list;
  const codec = isStore ? await codecOf(source) : list;
  const none = (): readonly never[] => [];
  const since = Date.now();
  const notifier = new StoreNotifier(store);
  const reader = new MarkedReader({
    isOpen: () => false,
    snapshot: () => undefined,
    inFlight: none,
    unstored: none,
    unstoredOf: () => undefined,
    wasDropped: () => false,
    store,
    tokenOf: (key) => codec.tokenOf(key),
    keyOf: (token) => codec.keyOf(token),
    late: new LateNotes(),
    parts: new Map(isStore ? ownParts : []),
    failed(error) {
      throw error;
    },
  });
  return {
    store,
    collected: searchedFields(ownParts),
    find: (token) => reader.find(token),
    list: (query = {}) => reader.list(query),
    totals: (query = {}) => reader.totals(query),
    news: (query, position) => reader.news(query, position),
    onNews: (wake) => notifier.listen(wake),
    counters: () => emptyTotals,
    state: () => ({
      status: 'ready',
      store: storeName,
      message: '',
      code: null,
      since,
      setAside: null,
      records: null,
      bytes: null,
    }),
    close: () => store.close(),
  };
}

const emptyTotals: ReturnType<Profiler['counters']> = {
  made: 0,
  stored: 0,
  pruned: emptyReasonCounts(),
  dropped: { 'queue-full': 0, unrecordable: 0, 'store-set-aside': 0, 'not-written-at-close': 0 },
  pending: 0,
  open: 0,
  sampledOut: 0,
  renamed: 0,
  recordingMs: 0,
  failures: 0,
};

async function codecOf(store: ProfileStore): Promise<Pick<TokenCodec, 'keyOf' | 'tokenOf'>> {
  return createTokenCodec((await store.secret?.()) ?? (await store.lease(1)).secret);
}

const partsOfImported = [...ownParts, importedPart];

/** Read-only store of records in memory. The key of a record is its token parsed as a hexadecimal number. */
interface RecordList extends ProfileStore {
  keyOf(token: string): number | undefined;
  tokenOf(key: number): string;
}

/** Creates a read-only store of records in memory: newest first, each in a segment of its own. */
function createRecordList(records: readonly ProfileRecord[], name: string): RecordList {
  const refuse = (): Promise<never> =>
    Promise.reject(storeErrors.create('PROFILER_STORE_READ_ONLY', { path: name }));
  const sorted = records.toSorted((a, b) => b.startedAt - a.startedAt || b.sequence - a.sequence);
  const byKey = new Map(sorted.map((record) => [keyOf(record.token), record]));
  const segments = sorted.map(toSegment);
  const rows = function* ({ query, before }: Pick<StoreSearch, 'query' | 'before'>): Iterable<SegmentRows> {
    const from = before === undefined ? 0 : sorted.findIndex(({ token }) => keyOf(token) === before) + 1;
    for (const [place, segment] of segments.entries())
      if (place >= from && sorted[place]?.bucket === (query.bucket ?? 'app')) yield segment;
  };
  return {
    keyOf: (token) => (byKey.has(keyOf(token)) ? keyOf(token) : undefined),
    tokenOf: (key) => byKey.get(key)?.token ?? '',
    find: (key) => Promise.resolve(byKey.get(key) ?? 'never'),
    search: (search) => searchSegments(rows(search), search),
    totals: (order) => totalRows(rows(order), order),
    lease: refuse,
    write: refuse,
    prune: refuse,
    tally: refuse,
    close: () => Promise.resolve(),
  };
}

function keyOf(token: string): number {
  return Number.parseInt(token, 16);
}

function toSegment(record: ProfileRecord): SegmentRows {
  const { startedAt, durationMs, token, config } = record;
  const parts = config['importedFrom'] === undefined ? ownParts : partsOfImported;
  const writer = new SummaryWriter(columnsWith(parts, originOf(record)));
  writer.add(summaryOf(record, parts));
  const { directory, facts } = writer.seal(record.bucket);
  const read = (): ReturnType<SegmentRows['read']> => ({ keys: [keyOf(token)], directory });
  return { startedAt, closedAt: startedAt + durationMs, facts, from: 0, to: 1, read };
}
