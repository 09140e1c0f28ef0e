import { inflateRawSync } from 'node:zlib';
import type { SegmentRows } from '../../find/find-rows.js';
import type { WrittenRows } from '../../find/news-rows.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type { SegmentFacts } from '../../model/segment-facts.js';
import type { RedisConnection, Reply } from './redis-connection.js';

/** Entries read at one go. */
const pageSegments = 500;
/** Bytes that the columns of a segment may have when inflated. */
const maxSegmentBytes = 128 * 1024 * 1024;
/** Inflated columns that are kept, in bytes. */
const maxCachedBytes = 64 * 1024 * 1024;

interface Mirrored {
  readonly id: string;
  readonly records: number;
  readonly startedAt: number;
  readonly closedAt: number;
  readonly facts: SegmentFacts;
  readonly keys: readonly number[];
  readonly directory: Buffer;
  inflated?: Uint8Array;
}

/** The columns of a bucket's segments, kept here so that a search reads only what is new. Segments never change. */
export class RedisMirror {
  readonly #connection: RedisConnection;
  readonly #bucket: RecordBucket;
  #segments: Mirrored[] = [];
  #warm = 0;
  /** One after the other: what two of them took over would be there twice. */
  #turn: Promise<void> = Promise.resolve();
  /** How many records at the beginning of the oldest segment were pruned. */
  #gone = 0;

  constructor(connection: RedisConnection, bucket: RecordBucket) {
    this.#connection = connection;
    this.#bucket = bucket;
  }

  /** Takes over what came and what went. */
  sync(): Promise<void> {
    const synced = this.#turn.then(() => this.#sync());
    this.#turn = synced.catch(() => undefined);
    return synced;
  }

  async #sync(): Promise<void> {
    const stream = `${this.#connection.prefix}${this.#bucket}`;
    const [oldest] = replyList(await this.#connection.call('XRANGE', stream, '-', '+', 'COUNT', 1));
    const first = oldest === undefined ? undefined : replyText(replyList(oldest)[0]);
    const start = first === undefined ? -1 : this.#segments.findIndex(({ id }) => compareIds(id, first) >= 0);
    // A server that lost its data begins anew, with other segments.
    const isSame = start !== -1 && this.#segments[start]?.id === first;
    this.#segments = isSame ? this.#segments.slice(start) : [];
    for (;;) {
      const last = this.#segments.at(-1)?.id;
      const from = last === undefined ? '-' : `(${last}`;
      const entries = replyList(
        await this.#connection.call('XRANGE', stream, from, '+', 'COUNT', pageSegments),
      );
      for (const entry of entries) this.#segments.push(readEntry(entry));
      if (entries.length < pageSegments) break;
    }
    const gone =
      first === undefined
        ? null
        : await this.#connection.call('HGET', `${this.#connection.prefix}gone`, first);
    this.#gone = gone === null ? 0 : Number(replyText(gone));
    this.#warm = this.#segments.reduce((sum, { inflated }) => sum + (inflated?.length ?? 0), 0);
  }

  /** Segments newest first; with a key, only what was closed before its record, and nothing where that is not there. */
  *rows(before?: number): Iterable<SegmentRows> {
    const segments = this.#segments;
    let at = segments.length - 1;
    let to: number | undefined;
    if (before !== undefined) {
      at = segments.findIndex(({ keys }) => keys.includes(before));
      to = segments[at]?.keys.indexOf(before);
    }
    for (; at >= 0; at--) {
      const segment = segments[at];
      if (segment !== undefined) yield this.#rowsOf(segment, { from: at === 0 ? this.#gone : 0, to });
      to = undefined;
    }
  }

  /** The newest id of all; `0-0` where there is none. */
  get newest(): string {
    return this.#segments.at(-1)?.id ?? '0-0';
  }

  /** Segments behind an id, oldest first. */
  *behind(id: string): Iterable<WrittenRows> {
    const at = this.#segments.findIndex((segment) => compareIds(segment.id, id) > 0);
    if (at === -1) return;
    for (const segment of this.#segments.slice(at))
      yield { ...this.#rowsOf(segment, { from: 0, to: undefined }), position: segment.id };
  }

  #rowsOf(segment: Mirrored, { from, to }: { from: number; to: number | undefined }): SegmentRows {
    const { startedAt, closedAt, facts, keys, records } = segment;
    const read = (): ReturnType<SegmentRows['read']> => ({ keys, directory: this.#inflate(segment) });
    return { startedAt, closedAt, facts, from, to: to ?? records, read };
  }

  #inflate(segment: Mirrored): Uint8Array {
    if (segment.inflated !== undefined) return segment.inflated;
    const inflated = inflateRawSync(segment.directory, { maxOutputLength: maxSegmentBytes });
    if (this.#warm + inflated.length <= maxCachedBytes) {
      segment.inflated = inflated;
      this.#warm += inflated.length;
    }
    return inflated;
  }
}

/** Runs of keys, in the order of the records: `12:15,-4:-3`. */
export function writeRuns(keys: readonly number[]): string {
  const runs: string[] = [];
  let start = 0;
  for (let at = 1; at <= keys.length; at++) {
    if (keys[at] === (keys[at - 1] ?? 0) + 1) continue;
    runs.push(`${keys[start]}:${(keys[at - 1] ?? 0) + 1}`);
    start = at;
  }
  return runs.join(',');
}

export function readRuns(text: string): number[] {
  return text.split(',').flatMap((run) => {
    const [start = 0, stop = 0] = run.split(':').map(Number);
    return Array.from({ length: stop - start }, (_, at) => start + at);
  });
}

export function replyList(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? reply : [];
}

export function replyText(reply: Reply | undefined): string {
  return reply instanceof Buffer ? reply.toString() : String(reply ?? '');
}

/** Names and values in turn. */
export function replyFields(reply: Reply | undefined): ReadonlyMap<string, Reply> {
  const flat = replyList(reply);
  const fields = new Map<string, Reply>();
  for (let at = 0; at + 1 < flat.length; at += 2) fields.set(replyText(flat[at]), flat[at + 1] ?? null);
  return fields;
}

function readEntry(entry: Reply): Mirrored {
  const [id, flat] = replyList(entry);
  const fields = replyFields(flat);
  const text = (name: string): string => replyText(fields.get(name));
  const directory = fields.get('directory');
  return {
    id: replyText(id),
    records: Number(text('records')),
    startedAt: Number(text('startedAt')),
    closedAt: Number(text('closedAt')),
    facts: JSON.parse(text('facts')) as SegmentFacts, // written from them
    keys: readRuns(text('keys')),
    directory: directory instanceof Buffer ? directory : Buffer.alloc(0),
  };
}

/** Below 0 where the first id of a stream is the older one. */
export function compareIds(a: string, b: string): number {
  const [aTime = 0, aNumber = 0] = a.split('-').map(Number);
  const [bTime = 0, bNumber = 0] = b.split('-').map(Number);
  return aTime - bTime || aNumber - bNumber;
}
