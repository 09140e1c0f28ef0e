import type { RecordBucket } from '../../model/profile-record.js';
import type {
  StoreNews,
  StoreNewsOrder,
  StorePage,
  StoreSearch,
  StoreTotalsOrder,
} from '../../model/profile-store.js';
import type { StoreTotals } from '../../model/profile-totals.js';
import type { SegmentRows } from '../find-rows.js';
import { readNewRows, type WrittenRows } from '../news-rows.js';
import { searchSegments } from '../search-rows.js';
import { totalRows } from '../total-rows.js';
import type { BlockHead } from './block-form.js';
import { type BlockSource, BlockUnreadable, RowBlock } from './row-block.js';

export { BlockUnreadable };

/** A stored block with the ids of its first and last segment. */
export interface StoredBlock {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/** A segment with its id; ids increase with time. */
export type NumberedRows = SegmentRows & { readonly id: number };

/** Selects segments with `above` < id ≤ `end` whose time range can meet the query. */
export interface SegmentRange extends Pick<StoreSearch, 'query'> {
  readonly above: number;
  readonly end: number;
}

type Soon<Value> = Value | Promise<Value>;

/** Number of records by id of each segment that could not be read. The list continues without them and reports them. */
export type Damage = Map<number, number>;

/** Segments written after a position, in write order, and the position after all of them. */
export interface Written {
  readonly segments: Iterable<WrittenRows>;
  readonly present: string;
  readonly isGap: boolean;
}

/** Port: access to stored segments, which a store implements to be searchable. */
export interface SegmentStorage {
  /** Newest first. */
  segments(range: SegmentRange, damage: Damage): Iterable<NumberedRows> | AsyncIterable<NumberedRows>;
  /** Returns the location of the record with this key; undefined if it no longer exists. */
  placeOf(key: number): Soon<Place | undefined>;
  written(order: StoreNewsOrder): Soon<Written>;
  /** Present if the store also combines segments into blocks. */
  readonly blocks?: BlockStorage;
}

/** Port: access to stored blocks. Throws `BlockUnreadable` for data that no longer exists. */
export interface BlockStorage {
  /** Returns the blocks of a bucket, newest first. */
  list(bucket: RecordBucket): Soon<readonly StoredBlock[]>;
  heads(blocks: readonly StoredBlock[]): Soon<readonly BlockHead[]>;
  source(block: StoredBlock, damage: Damage): Omit<BlockSource, 'damaged'>;
  /** Returns the oldest segment and the number of records at its beginning that were pruned. */
  oldest(bucket: RecordBucket): Soon<{ readonly id: number; readonly gone: number } | undefined>;
}

interface Place {
  readonly segment: number;
  readonly index: number;
}

/** Bounds within which the rows of a block are read. */
interface BlockRange extends Pick<StoreSearch, 'query'> {
  readonly stored: BlockStorage;
  readonly oldest: { readonly id: number; readonly gone: number };
  /** Location of the cursor. */
  readonly last: Place | undefined;
  readonly damage: Damage;
}

/** Number of block heads kept in the cache. */
const maxCachedHeads = 500;
/** Number of block heads read at first, which doubles each time: the newest blocks usually fill a page. */
const firstHeads = 4;
/** Attempts at a search whose blocks are merged or removed while they are read. */
const maxTries = 3;

/** Searches segments, and blocks in place of the older ones. */
export class BlockSearch {
  readonly #storage: SegmentStorage;
  /** Cache of block heads by id; they never change. */
  readonly #cachedHeads = new Map<number, BlockHead>();
  /** Ids of corrupt blocks; their segments are read instead. */
  readonly #damaged = new Set<number>();

  constructor(storage: SegmentStorage) {
    this.#storage = storage;
  }

  search(search: StoreSearch): Promise<StorePage> {
    return this.#reading(async (damage) => searchSegments(this.#rows(search, damage), search));
  }

  totals(order: StoreTotalsOrder): Promise<StoreTotals> {
    return this.#reading(async (damage) => totalRows(this.#rows(order, damage), order));
  }

  async news(order: StoreNewsOrder): Promise<StoreNews> {
    const { segments, present, isGap } = await this.#storage.written(order);
    const { rows, position = present } = await readNewRows(segments, order);
    return { rows, position, isGap };
  }

  async #reading<Found extends StorePage | StoreTotals>(
    read: (damage: Damage) => Promise<Found>,
  ): Promise<Found> {
    for (let tries = 1; ; tries++)
      try {
        const damage: Damage = new Map();
        const found = await read(damage);
        const damaged = [...damage.values()].reduce((sum, records) => sum + records, 0);
        return damaged === 0 ? found : { ...found, damaged };
      } catch (error) {
        if (!(error instanceof BlockUnreadable) || tries === maxTries) throw error;
      }
  }

  /** Yields the segments and blocks newest first, limited to the rows before the cursor. */
  async *#rows(
    { query, before, key }: Pick<StoreSearch, 'query' | 'before' | 'key'>,
    damage: Damage,
  ): AsyncIterable<SegmentRows> {
    const { bucket = 'app' } = query;
    const cursor = key ?? before;
    const last = cursor === undefined ? undefined : await this.#storage.placeOf(cursor);
    if (cursor !== undefined && last === undefined) return;
    const end = last?.segment ?? Number.MAX_SAFE_INTEGER;
    const stored = key === undefined ? this.#storage.blocks : undefined;
    const blocks = (await stored?.list(bucket)) ?? [];
    const above = key === undefined ? (blocks[0]?.last ?? 0) : end - 1;
    for await (const segment of this.#storage.segments({ query, above, end }, damage)) {
      if (segment.id !== last?.segment) yield segment;
      else if (key === undefined) yield { ...segment, to: last.index };
      else yield { ...segment, from: last.index, to: last.index + 1 };
    }
    const oldest = blocks.length === 0 ? undefined : await stored?.oldest(bucket);
    if (stored === undefined || oldest === undefined) return;
    const there = blocks.filter((block) => block.last >= oldest.id && block.first <= end);
    for (let at = 0, count = firstHeads; at < there.length; at += count, count *= 2) {
      const next = there.slice(at, at + count);
      const heads = await this.#headsOf(stored, next);
      for (const [place, block] of next.entries()) {
        const head = heads[place];
        if (head === undefined || this.#damaged.has(block.id))
          yield* this.#segmentsOf(block, { query, stored, oldest, last, damage });
        else yield this.#rowsOf(block, head, { query, stored, oldest, last, damage });
      }
    }
  }

  /** Returns the rows of a block from the oldest that was not pruned up to the cursor. */
  async #rowsOf(
    block: StoredBlock,
    head: BlockHead,
    { stored, oldest, last, damage }: BlockRange,
  ): Promise<SegmentRows> {
    const source = stored.source(block, damage);
    const open = new RowBlock(head, {
      ...source,
      damaged: () => this.#damaged.add(block.id),
    });
    let [from, to] = [0, head.rows];
    if (block.first <= oldest.id || (last !== undefined && last.segment <= block.last)) {
      await open.load([], []);
      from = block.first > oldest.id ? 0 : open.startOf(oldest.id);
      if (block.first <= oldest.id && open.startOf(oldest.id + 1) > from) from += oldest.gone;
      if (last !== undefined && last.segment <= block.last) to = open.startOf(last.segment) + last.index;
    }
    return {
      ...head,
      from,
      to,
      ...(source.bring === undefined ? {} : { load: (...needed) => open.load(...needed) }),
      read: () => open,
      excludes: (conditions) => open.excludes(conditions),
    };
  }

  /** Yields the segments of a damaged block. */
  async *#segmentsOf(block: StoredBlock, { query, last, damage }: BlockRange): AsyncIterable<SegmentRows> {
    const end = Math.min(block.last, last?.segment ?? block.last);
    for await (const segment of this.#storage.segments({ query, above: block.first - 1, end }, damage))
      yield segment.id === last?.segment ? { ...segment, to: last.index } : segment;
  }

  async #headsOf(
    stored: BlockStorage,
    blocks: readonly StoredBlock[],
  ): Promise<readonly (BlockHead | undefined)[]> {
    const missing = blocks.filter(({ id }) => !this.#cachedHeads.has(id));
    const read = missing.length === 0 ? [] : await stored.heads(missing);
    for (const [place, head] of read.entries()) this.#cachedHeads.set(missing[place]?.id ?? -1, head);
    const heads = blocks.map(({ id }) => this.#cachedHeads.get(id));
    for (const id of this.#cachedHeads.keys())
      if (this.#cachedHeads.size > maxCachedHeads) this.#cachedHeads.delete(id);
    return heads;
  }
}
