import {
  BlockSearch,
  type Damage,
  type NumberedRows,
  type SegmentRange,
  type SegmentStorage,
  type Written,
} from '../../find/block/block-search.js';
import type { SegmentData } from '../../find/find-rows.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type { StoreNewsOrder } from '../../model/profile-store.js';
import type { SegmentFacts } from '../../model/segment-facts.js';
import { readDirectory } from '../pages/block-sums.js';
import { packKeys } from '../tokens/key-list.js';
import type { RedisConnection } from './redis-connection.js';
import { readRuns, type Reply, replyFields, replyList, replyText } from './redis-reply.js';

/** Number of stream entries to read at once. */
const pageSegments = 500;
/** Maximum total size of the cached inflated directories, in bytes. */
const maxCachedBytes = 64 * 1024 * 1024;

interface MirroredSegment {
  /** `id` is that of the stream entry; `number` counts the segments in the order in which they were read. */
  readonly id: string;
  readonly number: number;
  readonly records: number;
  readonly startedAt: number;
  readonly closedAt: number;
  readonly facts: SegmentFacts;
  readonly keys: readonly number[];
  readonly row: ReturnType<typeof segmentRow>;
  inflated?: SegmentData;
}

/**
 * A local copy of the directories of a bucket's segments, so that a search reads only new segments from the server.
 * Segments never change.
 */
export class RedisMirror implements SegmentStorage {
  readonly search: BlockSearch = new BlockSearch(this);
  readonly #connection: RedisConnection;
  readonly #bucket: RecordBucket;
  #segments: MirroredSegment[] = [];
  #numbers = 0;
  #cachedBytes = 0;
  /** The latest sync. Syncs run sequentially: concurrent ones would add the same segments twice. */
  #lastSync: Promise<void> = Promise.resolve();
  /** Number of leading records of the oldest segment that were pruned. */
  #gone = 0;

  constructor(connection: RedisConnection, bucket: RecordBucket) {
    this.#connection = connection;
    this.#bucket = bucket;
  }

  /** Adds the segments that were written, and removes those that were pruned. */
  sync(): Promise<void> {
    const synced = this.#lastSync.then(() => this.#sync());
    this.#lastSync = synced.catch(() => undefined);
    return synced;
  }

  *segments({ above, end }: SegmentRange, damage: Damage): Iterable<NumberedRows> {
    for (const segment of this.#segments.toReversed())
      if (segment.number > above && segment.number <= end) yield this.#rowsOf(segment, damage);
  }

  placeOf(key: number): { segment: number; index: number } | undefined {
    const found = this.#segments.find(({ keys }) => keys.includes(key));
    const index = found?.keys.indexOf(key) ?? -1;
    return found === undefined || index < this.#goneOf(found) ? undefined : { segment: found.number, index };
  }

  written({ position }: StoreNewsOrder): Written {
    const present = this.#segments.at(-1)?.id ?? '0-0';
    const from = position ?? present;
    if (!/^\d+-\d+$/.test(from) || compareIds(from, present) > 0)
      return { segments: [], present, isGap: true };
    const segments = this.#segments
      .filter(({ id }) => compareIds(id, from) > 0)
      .map((segment) => ({ ...this.#rowsOf(segment), position: segment.id }));
    return { segments, present, isGap: false };
  }

  async #sync(): Promise<void> {
    const stream = `${this.#connection.prefix}${this.#bucket}`;
    const [oldest] = replyList(await this.#connection.call('XRANGE', stream, '-', '+', 'COUNT', 1));
    const first = oldest === undefined ? undefined : replyText(replyList(oldest)[0]);
    const start = first === undefined ? -1 : this.#segments.findIndex(({ id }) => compareIds(id, first) >= 0);
    // A server that lost its data starts again, with other segments.
    const isSame = start !== -1 && this.#segments[start]?.id === first;
    this.#segments = isSame ? this.#segments.slice(start) : [];
    for (;;) {
      const last = this.#segments.at(-1)?.id;
      const from = last === undefined ? '-' : `(${last}`;
      const entries = replyList(
        await this.#connection.call('XRANGE', stream, from, '+', 'COUNT', pageSegments),
      );
      for (const entry of entries) this.#segments.push(readEntry(entry, ++this.#numbers));
      if (entries.length < pageSegments) break;
    }
    const gone =
      first === undefined
        ? null
        : await this.#connection.call('HGET', `${this.#connection.prefix}gone`, first);
    this.#gone = gone === null ? 0 : Number(replyText(gone));
    this.#cachedBytes = this.#segments.reduce(
      (sum, { inflated }) => sum + (inflated?.directory.length ?? 0),
      0,
    );
  }

  #goneOf(segment: MirroredSegment): number {
    return segment === this.#segments[0] ? this.#gone : 0;
  }

  #rowsOf(segment: MirroredSegment, damage?: Damage): NumberedRows {
    const { number, startedAt, closedAt, facts, records } = segment;
    const from = this.#goneOf(segment);
    const read = (): SegmentData | undefined => {
      try {
        return this.#inflate(segment);
      } catch {
        damage?.set(number, records - from);
        return undefined;
      }
    };
    return { id: number, startedAt, closedAt, facts, from, to: records, read };
  }

  #inflate(segment: MirroredSegment): SegmentData {
    if (segment.inflated !== undefined) return segment.inflated;
    const inflated = readDirectory(segment.row);
    if (this.#cachedBytes + inflated.directory.length <= maxCachedBytes) {
      segment.inflated = inflated;
      this.#cachedBytes += inflated.directory.length;
    }
    return inflated;
  }
}

/**
 * Converts the fields of a stream entry to the row that every store reads. Earlier versions wrote no checksums, and the
 * keys only as runs.
 */
export function segmentRow(fields: ReadonlyMap<string, Reply>): Readonly<Record<string, unknown>> {
  const keys = fields.get('packed') ?? packKeys(readRuns(replyText(fields.get('keys'))));
  return { keys, directory: fields.get('directory') };
}

function readEntry(entry: Reply, number: number): MirroredSegment {
  const [id, flat] = replyList(entry);
  const fields = replyFields(flat);
  const text = (name: string): string => replyText(fields.get(name));
  return {
    id: replyText(id),
    number,
    records: Number(text('records')),
    startedAt: Number(text('startedAt')),
    closedAt: Number(text('closedAt')),
    facts: JSON.parse(text('facts')) as SegmentFacts, // serialized from this type
    keys: readRuns(text('keys')),
    row: segmentRow(fields),
  };
}

/** Comparator of stream ids: negative if `a` is older than `b`. */
function compareIds(a: string, b: string): number {
  const [aTime = 0, aNumber = 0] = a.split('-').map(Number);
  const [bTime = 0, bNumber = 0] = b.split('-').map(Number);
  return aTime - bTime || aNumber - bNumber;
}
