import { setTimeout as pause } from 'node:timers/promises';
import { isCodedError } from '#coded-error';
import { readRecord } from '../form/segment-reader.js';
import type { ProfileList, ProfileNews, ProfileQuery, ProfileSort } from '../model/profile-query.js';
import type { RecordBucket } from '../model/profile-record.js';
import type {
  AbsentRecord,
  ProfileStore,
  Segment,
  StoredRecord,
  StoredSummary,
  StorePage,
  StoreSearch,
} from '../model/profile-store.js';
import { maxGroups, type ProfileTotals, type TotalsQuery } from '../model/profile-totals.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { RecordLookup } from '../model/record-lookup.js';
import { type Completing, completeRecord } from './complete-record.js';
import { isToken } from './is-token.js';
import type { SegmentRows } from './find-rows.js';
import { compareRanks, sortValue } from './ranks.js';

/** Milliseconds that a lookup waits for the end of an in-flight request. */
const flushTimeoutMs = 100;
/** In-flight requests that are listed: those older than `ms` milliseconds, at most `limit`. */
const slowSearch = { ms: 1000, limit: 20 };
const maxRows = 1000;
const defaultRows = 50;

/** Sources of records, from the beginning of a request to the store. */
export interface RecordSources extends Completing {
  /** Returns whether the request with this key is in flight. */
  readonly isOpen: (key: number) => boolean;
  /** Returns the current state of an in-flight request, as a segment with one record. */
  readonly snapshot: (key: number) => Segment | undefined;
  /** Returns the keys of the requests of a bucket that have been in flight for at least `ms` milliseconds, newest first. */
  readonly inFlight: (
    bucket: RecordBucket,
    olderThan: { readonly ms: number; readonly limit: number },
  ) => readonly number[];
  /** Returns the closed records that are not stored yet, newest first. */
  readonly unstored: (bucket: RecordBucket) => readonly Segment[];
  /** Returns the segment of `unstored` that contains a key. */
  readonly unstoredOf: (key: number) => Segment | undefined;
  /** Returns whether the record was dropped before it was stored. */
  readonly wasDropped: (key: number) => boolean;
  readonly store: ProfileStore;
  readonly tokenOf: (key: number) => string;
  /** Returns undefined if no key has this token. */
  readonly keyOf: (token: string) => number | undefined;
  /** Called if the store cannot be read. */
  readonly failed: (error: unknown) => void;
}

/** Finds records in every stage: in flight, closed, queued for the store, or stored. */
export class RecordReader {
  readonly #from: RecordSources;

  constructor(sources: RecordSources) {
    this.#from = sources;
  }

  async find(token: string): Promise<RecordLookup> {
    if (!isToken(token)) return { kind: 'malformed' };
    const key = this.#from.keyOf(token);
    if (key === undefined) return { kind: 'never' };
    try {
      const found = await this.#findBy(key);
      if (typeof found === 'object')
        return { kind: 'found', record: completeRecord(found, token, this.#from) };
      // The store does not have it: find out why.
      if (this.#from.wasDropped(key)) return { kind: 'missing', isDropped: true };
      if (found === 'set-aside') return { kind: 'missing', isSetAside: true };
      if (found === 'never' || found === 'missing' || found === 'unwritten') return { kind: found };
      return { kind: 'pruned', by: found === 'pruned' ? null : found };
    } catch (error) {
      if (!isCodedError(error) || !error.code.startsWith('PROFILER_RECORD_')) throw error;
      return { kind: 'unreadable', code: error.code, message: error.message };
    }
  }

  async list(query: ProfileQuery): Promise<ProfileList> {
    try {
      return await this.#list(query);
    } catch (error) {
      this.#from.failed(error);
      return { ...emptyList, complete: false };
    }
  }

  async #list(query: ProfileQuery): Promise<ProfileList> {
    const { token, before: cursor, limit: requested, ...conditions } = query;
    const key = token === undefined || token === '' ? undefined : (this.#keyOf(token) ?? 'none');
    if (key === 'none') return emptyList;
    const whole = Math.trunc(requested ?? defaultRows);
    const limit = whole >= 1 ? Math.min(maxRows, whole) : defaultRows;
    const search = { query: conditions, limit, key, thrownLate: this.#thrownLate() };
    if (query.sort !== undefined) return this.#listSorted(search, query.sort, cursor);
    const before = cursor === undefined ? undefined : this.#keyOf(cursor);
    if (cursor !== undefined && before === undefined) return emptyList;
    const near = this.#nearRows(query.bucket ?? 'app', before);
    const { searchSegments } = await import('./search-rows.js'); // for pages only
    const first: StorePage = near === undefined ? noPage : await searchSegments(near, search);
    if (first.next !== null || !first.complete) return this.#toList(first);
    return this.#toList(
      await this.#appendStored(first.rows, { ...search, before: near === undefined ? before : undefined }),
    );
  }

  /** Counts the stored records and those not stored yet. */
  async totals(query: TotalsQuery): Promise<ProfileTotals> {
    const { countTotals } = await import('./count-totals.js'); // for pages only
    const order = { query, thrownLate: this.#thrownLate() };
    const near = (): readonly SegmentRows[] => this.#nearRows(query.bucket ?? 'app') ?? [];
    const { groups, complete, ...totals } = await countTotals(this.#from, order, near);
    return {
      ...totals,
      groups: groups.slice(0, maxGroups).map(({ lastKey, ...group }) => ({
        ...group,
        lastToken: lastKey === -1 ? '' : this.#from.tokenOf(lastKey),
      })),
      complete: complete && groups.length <= maxGroups,
    };
  }

  /** Returns what was stored after a position; undefined if the store does not support this or has failed. */
  async news(
    query: Pick<ProfileQuery, 'bucket' | 'where'>,
    position: string | null,
  ): Promise<ProfileNews | undefined> {
    try {
      const news = await this.#from.store.news?.({ query, position });
      return news === undefined ? undefined : { ...news, rows: this.#toRows(news.rows) };
    } catch (error) {
      this.#from.failed(error);
      return undefined;
    }
  }

  /** Merges the sorted rows in memory and in the store. The cursor consists of the token and the sort value of a row. */
  async #listSorted(
    search: StoreSearch,
    sort: ProfileSort,
    cursor: string | undefined,
  ): Promise<ProfileList> {
    const behind = cursor === undefined ? undefined : this.#behindOf(cursor);
    if (cursor !== undefined && behind === undefined) return emptyList;
    const range = { ...search, behind };
    const { searchSegments } = await import('./search-rows.js');
    const near = await searchSegments(this.#nearRows(search.query.bucket ?? 'app') ?? [], range);
    let stored: StorePage = { rows: [], next: null, complete: false };
    try {
      stored = await this.#from.store.search(range);
    } catch (error) {
      this.#from.failed(error);
    }
    const ranked = [...new Map([...stored.rows, ...near.rows].map((row) => [row.key, row])).values()]
      .map((row) => ({ row, key: row.key, value: sortValue(row, sort.column) }))
      .sort((a, b) => compareRanks(sort, a, b));
    const page = ranked.slice(0, search.limit);
    const last = page.at(-1);
    const isMore = ranked.length > page.length || near.next !== null || stored.next !== null;
    return {
      ...stored,
      rows: this.#toRows(page.map(({ row }) => row)),
      next: isMore && last !== undefined ? `${this.#from.tokenOf(last.key)}~${last.value}` : null,
      complete: near.complete && stored.complete,
    };
  }

  #behindOf(cursor: string): { value: number; key: number } | undefined {
    const [token = '', value = ''] = cursor.split('~');
    const key = this.#keyOf(token);
    return key === undefined || value === '' || Number.isNaN(Number(value))
      ? undefined
      : { value: Number(value), key };
  }

  #thrownLate(): ReadonlySet<number> {
    return new Set(this.#from.late.thrown().map((thrown) => this.#keyOf(thrown) ?? -1));
  }

  async #findBy(key: number): Promise<StoredRecord | AbsentRecord> {
    const { isOpen, snapshot, unstoredOf, store } = this.#from;
    const end = performance.now() + flushTimeoutMs;
    // The client that looks up the record usually has the response already, so the request is about to end.
    while (isOpen(key) && performance.now() < end) await pause(5);
    const near = snapshot(key) ?? unstoredOf(key);
    if (near === undefined) return store.find(key);
    return readRecord({ ...near, index: near.keys.indexOf(key) });
  }

  /** Appends rows of the store to those from memory. Rows that have been stored in the meantime are not listed twice. */
  async #appendStored(
    near: readonly StoredSummary[],
    search: Parameters<ProfileStore['search']>[0],
  ): Promise<StorePage> {
    const rows = [...near];
    const seen = new Set(near.map(({ key }) => key));
    let { before } = search;
    try {
      for (;;) {
        const limit = search.limit - rows.length + 1;
        const page = await this.#from.store.search({ ...search, limit, before });
        const fresh = page.rows.filter(({ key }) => !seen.has(key));
        for (const { key } of fresh) seen.add(key);
        rows.push(...fresh);
        if (rows.length > search.limit)
          return {
            ...page,
            rows: rows.slice(0, search.limit),
            next: rows[search.limit - 1]?.key ?? null,
            complete: true,
          };
        if (page.next === null || !page.complete) return { ...page, rows };
        before = page.next;
      }
    } catch (error) {
      // The rows in memory can be shown even if the store fails.
      this.#from.failed(error);
      return { rows, next: null, complete: false };
    }
  }

  #keyOf(token: string): number | undefined {
    return isToken(token) ? this.#from.keyOf(token) : undefined;
  }

  /** Returns the records that are not stored yet, newest first; undefined if the cursor is not among them. */
  #nearRows(bucket: RecordBucket, before?: number): readonly SegmentRows[] | undefined {
    const segments = [...this.#inFlight(bucket), ...this.#from.unstored(bucket)];
    if (before === undefined) return segments.map((segment) => rowsOf(segment, segment.keys.length));
    const at = segments.findIndex((segment) => segment.keys.includes(before));
    if (at === -1) return undefined;
    return segments
      .slice(at)
      .map((segment, place) =>
        rowsOf(segment, place === 0 ? segment.keys.indexOf(before) : segment.keys.length),
      );
  }

  /** Returns slow in-flight requests, which are listed before they end, since some never do. */
  #inFlight(bucket: RecordBucket): readonly Segment[] {
    const { inFlight, snapshot } = this.#from;
    return inFlight(bucket, slowSearch).flatMap((key) => snapshot(key) ?? []);
  }

  #toList({ rows, next, ...page }: StorePage): ProfileList {
    return { ...page, rows: this.#toRows(rows), next: next === null ? null : this.#from.tokenOf(next) };
  }

  #toRows(rows: readonly StoredSummary[]): ProfileSummary[] {
    const { late, tokenOf } = this.#from;
    return rows.map(({ key, ...row }) => late.addToRow({ token: tokenOf(key), ...row }));
  }
}

const emptyList: ProfileList = { rows: [], next: null, complete: true };
const noPage: StorePage = { rows: [], next: null, complete: true };

function rowsOf(segment: Segment, to: number): SegmentRows {
  const { startedAt, closedAt, facts } = segment;
  return { startedAt, closedAt, facts, from: 0, to, read: () => segment };
}
