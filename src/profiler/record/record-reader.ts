import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { ProfileList, ProfileQuery } from '../model/profile-query.js';
import type { RecordBucket } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { ProfileStore, Segment, StoredRecord, StoredRows } from '../model/profile-store.js';
import type { RecordLookup } from '../model/record-lookup.js';
import { type PreparedQuery, prepareQuery } from './match-query.js';
import type { LateNotes } from './late-notes.js';
import type { Outbox } from './outbox.js';
import { readRows, readStored } from './read-segment.js';
import type { Recorder } from './recorder.js';
import { isToken } from './token-codec.js';
import type { TokenSource } from './token-source.js';

/** Milliseconds of search at one go, and in all. */
const slice = 8;
const wholeSearch = 1500;
/** How long the end of a request is waited for when its record is asked for while it is under way. */
const patience = 100;

interface Sources {
  readonly recorder: Recorder;
  readonly outbox: Outbox;
  readonly store: ProfileStore;
  readonly tokens: TokenSource;
  readonly late: LateNotes;
  /** Told where the store cannot be read. */
  failed(error: unknown): void;
}

/** Finds records wherever they are: under way, written down, on their way, or stored. */
export class RecordReader {
  readonly #from: Sources;

  constructor(sources: Sources) {
    this.#from = sources;
  }

  async find(token: string): Promise<RecordLookup> {
    if (!isToken(token)) return { kind: 'malformed' };
    const { tokens, outbox } = this.#from;
    const { codec } = tokens;
    const key = codec.keyOf(token);
    if (key === undefined) return { kind: 'never' };
    const near = (await this.#findOpen(key)) ?? this.#findNear(key);
    const found = near ?? (await this.#from.store.find(key));
    if (typeof found === 'object') {
      const record = readStored(found, (other) => codec.tokenOf(other));
      return { kind: 'found', record: this.#from.late.addTo(record) };
    }
    // It may have gone from here to the store, or it is a number just given out.
    if (outbox.hasDropped(key)) return { kind: 'missing', isDropped: true };
    if (found === 'set-aside') return { kind: 'missing', isSetAside: true };
    if (found === 'missing') return { kind: 'missing' };
    if (found === 'never' || found === 'unwritten') return { kind: found };
    return { kind: 'pruned', by: found === 'pruned' ? null : found };
  }

  async list(query: ProfileQuery): Promise<ProfileList> {
    const { tokens, store, late } = this.#from;
    const bucket = query.bucket ?? 'app';
    const search = new Search(query, { tokenOf: (key) => tokens.codec.tokenOf(key), late });
    const before = query.before === undefined ? undefined : this.#keyOf(query.before);
    if (query.before !== undefined && before === undefined) return search.result();
    const near = this.#nearRows(bucket, before);
    for (const rows of near ?? []) if (await search.takeEnough(rows)) return search.result();
    const range = {
      bucket,
      ...(before === undefined || near !== undefined ? {} : { before }),
      ...(query.start === undefined ? {} : { start: query.start }),
      ...(query.end === undefined ? {} : { end: query.end }),
      mayMatch: search.prepared.mayMatch,
    };
    try {
      for await (const rows of store.scan(range)) if (await search.takeEnough(rows)) break;
    } catch (error) {
      // What is in memory can be shown whatever the store is like.
      this.#from.failed(error);
      search.breakOff();
    }
    return search.result();
  }

  #keyOf(token: string): number | undefined {
    return isToken(token) ? this.#from.tokens.codec.keyOf(token) : undefined;
  }

  /** A request under way: its end is waited for a moment, since whoever asks has its answer already. */
  async #findOpen(key: number): Promise<StoredRecord | undefined> {
    const { recorder } = this.#from;
    const recording = recorder.open.find(key);
    if (recording === undefined) return undefined;
    const end = performance.now() + patience;
    while (recording.slots !== undefined && performance.now() < end) await pause(5);
    if (recording.slots === undefined) return undefined;
    return { ...recorder.snapshot(recording), index: 0 };
  }

  #findNear(key: number): StoredRecord | undefined {
    const { recorder, outbox } = this.#from;
    const bucket = recorder.has(key);
    const segment = bucket === undefined ? undefined : recorder.peek(bucket);
    return segment === undefined ? outbox.find(key) : { ...segment, index: segment.keys.indexOf(key) };
  }

  /** What is not stored yet, newest first; undefined where the cursor is not in it. */
  #nearRows(bucket: RecordBucket, before: number | undefined): StoredRows[] | undefined {
    const { recorder, outbox } = this.#from;
    const written = recorder.peek(bucket);
    const segments: readonly Segment[] = [
      ...(written === undefined ? [] : [written]),
      ...outbox.segments.filter((segment) => segment.bucket === bucket),
    ];
    if (before === undefined) return segments.map((segment) => wholeRows(segment));
    const at = segments.findIndex((segment) => segment.keys.includes(before));
    return at === -1
      ? undefined
      : segments.slice(at).map((segment, place) => wholeRows(segment, place === 0 ? before : undefined));
  }
}

function wholeRows({ keys, directory }: Segment, before?: number): StoredRows {
  return { keys, directory, from: 0, to: before === undefined ? keys.length : keys.indexOf(before) };
}

/** One search through rows, bounded in results and in time. */
class Search {
  readonly prepared: PreparedQuery;
  readonly #limit: number;
  readonly #tokenOf: (key: number) => string;
  readonly #late: LateNotes;
  readonly #rows: ProfileSummary[] = [];
  /** Keys seen; what was on its way when the search began may be in the store now. */
  readonly #seen = new Set<string>();
  readonly #end = performance.now() + wholeSearch;
  #sliceEnd = performance.now() + slice;
  #next: string | null = null;
  #complete = true;

  constructor(query: ProfileQuery, by: { tokenOf: (key: number) => string; late: LateNotes }) {
    this.prepared = prepareQuery(query);
    this.#tokenOf = by.tokenOf;
    this.#late = by.late;
    const limit = Math.trunc(query.limit ?? 50);
    this.#limit = limit >= 1 ? Math.min(1000, limit) : 50;
  }

  /** True once the search is over. */
  async takeEnough(rows: StoredRows): Promise<boolean> {
    for (const stored of readRows(rows, this.#tokenOf)) {
      const row = this.#late.addToRow(stored);
      if (this.#rows.length >= this.#limit) {
        this.#next = this.#rows.at(-1)?.token ?? null;
        return true;
      }
      if (this.#seen.has(row.token) || !this.prepared.matches(row)) continue;
      this.#seen.add(row.token);
      this.#rows.push(row);
    }
    const now = performance.now();
    if (now < this.#sliceEnd) return false;
    if (now > this.#end) {
      this.#next = this.#tokenOf(rows.keys[rows.from] ?? -1);
      this.#complete = false;
      return true;
    }
    await nextTurn();
    this.#sliceEnd = performance.now() + slice;
    return false;
  }

  /** The rest cannot be searched. */
  breakOff(): void {
    this.#complete = false;
  }

  result(): ProfileList {
    return { rows: this.#rows, next: this.#next, complete: this.#complete };
  }
}
