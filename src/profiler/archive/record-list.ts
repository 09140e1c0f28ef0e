import { searchSegments } from '../find/search-rows.js';
import { totalRows } from '../find/total-rows.js';
import type { SegmentRows } from '../find/find-rows.js';
import { columnsWith } from '../form/summary-columns.js';
import { SummaryWriter } from '../form/summary-writer.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileStore, StoreSearch } from '../model/profile-store.js';
import { importedPart } from '../form/imported-part.js';
import { storeErrors } from '../store/policy/error-codes.js';
import { ownParts } from './own-parts.js';
import { originOf, summaryOf } from './summary-of-record.js';

const partsWithImported = [...ownParts, importedPart];

/** A record's key is its token, read as a number. */
interface RecordList extends ProfileStore {
  keyOf(token: string): number | undefined;
  tokenOf(key: number): string;
}

/** Records that are at hand, as a store that is only read: the newest first, each in a segment of its own. */
export function createRecordList(records: readonly ProfileRecord[], name: string): RecordList {
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
  const parts = config['importedFrom'] === undefined ? ownParts : partsWithImported;
  const writer = new SummaryWriter(columnsWith(parts, originOf(record)));
  writer.add(summaryOf(record, parts));
  const { directory, facts } = writer.seal(record.bucket);
  const read = (): ReturnType<SegmentRows['read']> => ({ keys: [keyOf(token)], directory });
  return { startedAt, closedAt: startedAt + durationMs, facts, from: 0, to: 1, read };
}
