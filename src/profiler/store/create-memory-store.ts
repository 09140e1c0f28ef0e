import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { RecordBucket } from '../model/profile-record.js';
import type {
  AbsentRecord,
  Lease,
  ProfileStore,
  Retention,
  Segment,
  StoredRecord,
  StoreNews,
  StoreNewsOrder,
  StorePage,
  StoreSearch,
  StoreTally,
  StoreTotalsOrder,
} from '../model/profile-store.js';
import type { StoreTotals } from '../model/profile-totals.js';
import type { PruneReason } from '../model/record-lookup.js';
import type { SegmentRows } from '../find/find-rows.js';
import { readRecord } from '../form/segment-reader.js';
import { defaultRetention, emptyReasonCounts } from './policy/retention.js';
import { TakenKeys } from './tokens/taken-keys.js';

interface StoredSegment {
  readonly segment: Segment;
  /** Keys of the records; those already in use have been replaced. */
  readonly keys: readonly number[];
  readonly bytes: number;
  /** Time of writing, by the monotonic clock. */
  readonly at: number;
  /** Sequence number of the segment, counted from 1. */
  readonly place: number;
  /** Number of leading records that have been pruned. */
  gone: number;
}

interface BucketContents {
  list: StoredSegment[];
  records: number;
  bytes: number;
}

const maxRememberedReasons = 100_000;

/**
 * Creates a store in memory, which lasts as long as the process. Segments are stored unchanged, with the same retention
 * as in a file.
 */
export function createMemoryStore(retention: Partial<Retention> = {}): ProfileStore {
  return new MemoryStore({ ...defaultRetention, ...retention });
}

class MemoryStore implements ProfileStore {
  readonly #retention: Retention;
  readonly #secret = randomBytes(16).toString('hex');
  readonly #contents: Record<RecordBucket, BucketContents> = {
    app: emptyContents(),
    profiler: emptyContents(),
  };
  readonly #places = new Map<number, { kept: StoredSegment; index: number }>();
  readonly #reasons = new Map<number, PruneReason>();
  readonly #notes = new Map<string, Map<string, string>>();
  readonly #pruned: Record<PruneReason, number> = emptyReasonCounts();
  #renamed = 0;
  #next = 0;
  #lastNumber = -1;
  #written = 0;

  constructor(retention: Retention) {
    this.#retention = retention;
  }

  lease(amount: number): Lease {
    const from = this.#next;
    this.#next += amount;
    return { secret: this.#secret, from, to: this.#next };
  }

  async secret(): Promise<string> {
    return this.#secret;
  }

  async write(segments: readonly Segment[]): Promise<StoreTally> {
    for (const segment of segments) if (segment.number > this.#lastNumber) this.#add(segment);
    this.#prune('app', this.#retention.records);
    this.#prune('profiler', this.#retention.profilerRecords);
    return this.#tally();
  }

  async find(key: number): Promise<StoredRecord | AbsentRecord> {
    const place = this.#places.get(key);
    if (place !== undefined) {
      const { keys, segment } = place.kept;
      return readRecord({ keys, directory: segment.directory, body: segment.body, index: place.index });
    }
    return this.#reasons.get(key) ?? (key < 0 || key >= this.#next ? 'never' : 'missing');
  }

  async search(search: StoreSearch): Promise<StorePage> {
    const { searchSegments } = await import('../find/search-rows.js'); // loaded only when a page needs it
    return searchSegments(this.#rows(search), search);
  }

  async totals(order: StoreTotalsOrder): Promise<StoreTotals> {
    const { totalRows } = await import('../find/total-rows.js'); // loaded only when a page needs it
    return totalRows(this.#rows(order), order);
  }

  async news(order: StoreNewsOrder): Promise<StoreNews> {
    const { list } = this.#contents[order.query.bucket ?? 'app'];
    const present = String(this.#written);
    const from = order.position === null ? this.#written : Number(order.position);
    const isGap = !(from <= this.#written);
    const news = list
      .filter(({ place }) => place > from)
      .map((kept) => ({ ...segmentRows(kept, kept.keys.length), position: String(kept.place) }));
    const { readNewRows } = await import('../find/news-rows.js');
    const { rows, position = present } = await readNewRows(news, order);
    return { rows, position, isGap };
  }

  async prune(bucket?: RecordBucket): Promise<StoreTally> {
    if (bucket !== undefined) {
      for (const kept of this.#contents[bucket].list) this.#forget(kept, kept.keys.length, 'purge');
      this.#contents[bucket] = emptyContents();
    }
    return this.write([]);
  }

  async tally(): Promise<StoreTally> {
    return this.#tally();
  }

  async putNote(kind: string, name: string, text: string | null): Promise<void> {
    const notes = this.#notes.get(kind) ?? new Map<string, string>();
    if (text === null) notes.delete(name);
    else notes.set(name, text);
    this.#notes.set(kind, notes);
  }

  async notes(kind: string, name?: string): Promise<ReadonlyMap<string, string>> {
    const notes = [...(this.#notes.get(kind) ?? [])];
    return new Map(notes.filter(([other]) => name === undefined || other === name));
  }

  async close(): Promise<void> {
    this.#places.clear();
    this.#contents.app = emptyContents();
    this.#contents.profiler = emptyContents();
  }

  /** Yields the segments, newest first. The segment that contains the cursor ends before the cursor's record. */
  *#rows({ query, before }: Pick<StoreSearch, 'query' | 'before'>): Iterable<SegmentRows> {
    const { list } = this.#contents[query.bucket ?? 'app'];
    const last = before === undefined ? undefined : this.#places.get(before);
    if (before !== undefined && last === undefined) return;
    const newest = last === undefined ? list.length - 1 : list.indexOf(last.kept);
    for (const kept of list.slice(0, newest + 1).reverse()) {
      yield segmentRows(kept, kept === last?.kept ? last.index : kept.keys.length);
    }
  }

  #add(segment: Segment): void {
    this.#lastNumber = segment.number;
    const taken = new TakenKeys((key) => this.#places.has(key) || this.#reasons.has(key));
    const keys = taken.replace(segment.keys);
    this.#renamed += taken.renamed;
    const bytes = segment.directory.byteLength + segment.body.byteLength;
    const kept: StoredSegment = {
      segment,
      keys,
      bytes,
      at: performance.now(),
      place: ++this.#written,
      gone: 0,
    };
    const contents = this.#contents[segment.bucket];
    contents.list.push(kept);
    contents.records += keys.length;
    contents.bytes += bytes;
    for (const [index, key] of keys.entries()) this.#places.set(key, { kept, index });
  }

  #prune(bucket: RecordBucket, records: number): void {
    const contents = this.#contents[bucket];
    const old = performance.now() - this.#retention.ageMs;
    let emptied = 0;
    for (const kept of contents.list) {
      const left = kept.keys.length - kept.gone;
      const reason = kept.at < old ? 'age' : contents.bytes > this.#retention.bytes ? 'bytes' : 'count';
      const count = reason === 'count' ? Math.min(left, Math.max(0, contents.records - records)) : left;
      this.#forget(kept, kept.gone + count, reason);
      contents.records -= count;
      if (count < left) break;
      contents.bytes -= kept.bytes;
      emptied++;
    }
    if (emptied > 0) contents.list.splice(0, emptied);
  }

  #forget(kept: StoredSegment, upTo: number, reason: PruneReason): void {
    for (let index = kept.gone; index < upTo; index++) {
      const key = kept.keys[index] ?? 0;
      this.#places.delete(key);
      this.#reasons.set(key, reason);
      this.#pruned[reason]++;
    }
    kept.gone = upTo;
    for (const key of this.#reasons.keys()) {
      if (this.#reasons.size <= maxRememberedReasons) break;
      this.#reasons.delete(key);
    }
  }

  #tally(): StoreTally {
    const { app, profiler } = this.#contents;
    return {
      pruned: { ...this.#pruned },
      lost: 0,
      setAside: null,
      renamed: this.#renamed,
      records: app.records + profiler.records,
      bytes: app.bytes + profiler.bytes,
    };
  }
}

function segmentRows({ segment, keys, gone }: StoredSegment, to: number): SegmentRows {
  const { startedAt, closedAt, facts, directory } = segment;
  return { startedAt, closedAt, facts, from: gone, to, read: () => ({ keys, directory }) };
}

function emptyContents(): BucketContents {
  return { list: [], records: 0, bytes: 0 };
}
