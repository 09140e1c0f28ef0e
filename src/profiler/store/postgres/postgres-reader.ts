import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Damage } from '../../find/block/block-search.js';
import type { SegmentData } from '../../find/find-rows.js';
import type { ProcessAccount } from '../../model/profile-store.js';
import { readDirectory } from '../pages/block-sums.js';
import { maxChunks } from '../sql/replace-blocks.js';
import { blockIsGone, SqlReader } from '../sql/sql-reader.js';
import type { Statements } from './postgres-connection.js';
import { PostgresNews } from './postgres-news.js';

/** Maximum size of the chunk cache in bytes. Blocks never change, so its entries stay valid. */
const maxCachedBytes = 64 * 1024 * 1024;
/** A process that was not seen for this long counts as lost. */
const silenceInterval = `interval '30 seconds'`;
const noNumber = Buffer.alloc(8);

/**
 * Creates a reader for the tables of a schema (given as a quoted identifier). Reads of the same event-loop tick are
 * batched.
 */
export function createPostgresReader(from: Statements, schema: string): SqlReader {
  const cache = new ByteCache();
  const news = new PostgresNews(from, schema);
  const chunks = new ReadBatcher((ids) => readChunks(from, `${schema}.chunk`, { ids, cache }));
  const segments = new ReadBatcher((ids) => readSegments(from, `${schema}.segment`, ids));
  return new SqlReader({
    schema: `${schema}.`,
    end: 'stop',
    segments: `${schema}.segment`,
    processes: 'process',
    process: 'process',
    state: `CASE WHEN is_over THEN 'ended' WHEN seen_at > clock_timestamp() - ${silenceInterval} THEN 'running' ELSE 'lost' END`,
    account: 'extract(epoch FROM seen_at) * 1000 AS seen, pid AS number, app + profiler AS stored',
    stateOf: (state) => state as ProcessAccount['state'], // a value of the expression for `state`
    rows: (text, values) => from.rows(text, values),
    async hasTable(name) {
      if (name !== 'note') return true; // the only table that is created on first use
      const [row] = await from.rows('SELECT to_regclass($1) IS NOT NULL AS found', [`${schema}.${name}`]);
      return row?.['found'] === true;
    },
    source({ id }, damage) {
      const own = new Map<number, Uint8Array>();
      const found = new Map<number, FoundSegment>();
      return {
        chunk: (place) => own.get(id * maxChunks + place) ?? blockIsGone(),
        segment: (segment) => soundOf(segment, found, damage),
        bring: async (wanted) => {
          const places = (wanted.chunks ?? []).map((place) => id * maxChunks + place);
          await chunks.bring(places, own);
          await segments.bring(wanted.segments ?? [], found);
        },
      };
    },
    written: (order, reader) => news.written(order, reader),
    content(id, damage) {
      const found = new Map<number, FoundSegment>();
      return { load: () => segments.bring([id], found), read: () => soundOf(id, found, damage) };
    },
  });
}

async function readChunks(
  from: Statements,
  table: string,
  { ids, cache }: { readonly ids: readonly number[]; readonly cache: ByteCache },
): Promise<ReadonlyMap<number, Uint8Array>> {
  const found = new Map<number, Uint8Array>();
  for (const id of ids) {
    const known = cache.get(id);
    if (known !== undefined) found.set(id, known);
  }
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  const rows = await from.copy(`SELECT id, data FROM ${table} WHERE id IN (${missing.join(', ')})`);
  for (const [id, data] of rows) {
    if (id === undefined || data === undefined) continue;
    const chunk = Uint8Array.from(data); // copied, because all values of a result share one buffer
    found.set(Number(id.readBigInt64BE()), chunk);
    cache.set(Number(id.readBigInt64BE()), chunk);
  }
  return found;
}

async function readSegments(
  from: Statements,
  table: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FoundSegment>> {
  const rows = await from.copy(
    `SELECT id, records - gone, keys, directory FROM ${table} WHERE id IN (${ids.join(', ')})`,
  );
  return new Map(
    rows.map(([id = noNumber, left = noNumber, keys, directory]) => [
      Number(id.readBigInt64BE()),
      readSegment({ keys, directory }, left.readInt32BE()),
    ]),
  );
}

/** The contents of a segment, or the number of its records if it is damaged. */
type FoundSegment = SegmentData | number;

function readSegment(row: Readonly<Record<string, unknown>>, records: number): FoundSegment {
  try {
    return readDirectory(row);
  } catch {
    return records;
  }
}

/** Returns undefined if the segment is gone or damaged; damage is added to `damage`. */
function soundOf(
  id: number,
  found: ReadonlyMap<number, FoundSegment>,
  damage: Damage,
): SegmentData | undefined {
  const segment = found.get(id);
  if (typeof segment !== 'number') return segment;
  damage.set(id, segment);
  return undefined;
}

/** Batches the reads that are requested in one event-loop tick. */
class ReadBatcher<Value> {
  readonly #read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Value>>;
  #wanted = new Set<number>();
  #next: Promise<ReadonlyMap<number, Value>> | undefined;

  constructor(read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Value>>) {
    this.#read = read;
  }

  /** Adds the values that exist to `found`. Ids that `found` already contains are not read again. */
  async bring(ids: readonly number[], found: Map<number, Value>): Promise<void> {
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length === 0) return;
    for (const id of missing) this.#wanted.add(id);
    const read = await (this.#next ??= this.#readNext());
    for (const id of missing) {
      const value = read.get(id);
      if (value !== undefined) found.set(id, value);
    }
  }

  async #readNext(): Promise<ReadonlyMap<number, Value>> {
    await nextTurn();
    const wanted = [...this.#wanted];
    this.#wanted = new Set();
    this.#next = undefined;
    return this.#read(wanted);
  }
}

/** A cache of chunks that evicts the least recently used ones. */
class ByteCache {
  readonly #kept = new Map<number, Uint8Array>();
  #bytes = 0;

  get(id: number): Uint8Array | undefined {
    const known = this.#kept.get(id);
    if (known !== undefined) {
      this.#kept.delete(id);
      this.#kept.set(id, known);
    }
    return known;
  }

  set(id: number, bytes: Uint8Array): void {
    this.#kept.set(id, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= maxCachedBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }
}
