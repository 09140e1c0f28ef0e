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

/** A block, and the first and the last of its segments. */
export interface StoredBlock {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/** A segment and its number: later ones have greater numbers. */
export type NumberedRows = SegmentRows & { readonly id: number };

/** Segments with `above` < id ≤ `end` that may meet the conditions on their time. */
export interface SegmentRange extends Pick<StoreSearch, 'query'> {
  readonly above: number;
  readonly end: number;
}

type Soon<Value> = Value | Promise<Value>;

/** Segments that could not be read, and how many records each has: it takes no list with it, but the list says so. */
export type Damage = Map<number, number>;

/** What was written behind a position, in that order, and the position behind all of it. */
export interface Written {
  readonly segments: Iterable<WrittenRows>;
  readonly present: string;
  readonly isGap: boolean;
}

/** Where segments are kept: what a store has to give to be searched. */
export interface SegmentStorage {
  /** Newest first. */
  segments(range: SegmentRange, damage: Damage): Iterable<NumberedRows> | AsyncIterable<NumberedRows>;
  /** Where the record of a key is, unless it is gone. */
  placeOf(key: number): Soon<Place | undefined>;
  written(order: StoreNewsOrder): Soon<Written>;
  /** Where blocks are made of them. */
  readonly blocks?: BlockStorage;
}

/** Where blocks are kept. What is not there any more is thrown as `BlockUnreadable`. */
export interface BlockStorage {
  /** Of a bucket, newest first. */
  list(bucket: RecordBucket): Soon<readonly StoredBlock[]>;
  heads(blocks: readonly StoredBlock[]): Soon<readonly BlockHead[]>;
  source(block: StoredBlock, damage: Damage): Omit<BlockSource, 'damaged'>;
  /** The oldest segment, and how many records at its beginning are gone. */
  oldest(bucket: RecordBucket): Soon<{ readonly id: number; readonly gone: number } | undefined>;
}

interface Place {
  readonly segment: number;
  readonly index: number;
}

/** What the rows of a block are read between. */
interface BlockRange extends Pick<StoreSearch, 'query'> {
  readonly stored: BlockStorage;
  readonly oldest: { readonly id: number; readonly gone: number };
  /** Where the cursor is. */
  readonly last: Place | undefined;
  readonly damage: Damage;
}

/** Heads of blocks that are kept, and that are read at first: a page is mostly full behind the newest. */
const maxKnown = 500;
const firstHeads = 4;
/** How often a search is begun whose blocks become others while they are read. */
const maxTries = 3;

/** Searches blocks, and the segments behind them. */
export class BlockSearch {
  readonly #storage: SegmentStorage;
  /** Heads of blocks, which never change. */
  readonly #known = new Map<number, BlockHead>();
  /** Blocks that are not what was written. */
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

  /** What was written behind a position. */
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

  /** Segments and blocks of them newest first, the one of the cursor up to it. */
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

  /** The rows of a block between the first one that is there and the one of the cursor. */
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
      ...(source.bring === undefined ? {} : { load: (...asked) => open.load(...asked) }),
      read: () => open,
      excludes: (conditions) => open.excludes(conditions),
    };
  }

  /** What a damaged block was made of. */
  async *#segmentsOf(block: StoredBlock, { query, last, damage }: BlockRange): AsyncIterable<SegmentRows> {
    const end = Math.min(block.last, last?.segment ?? block.last);
    for await (const segment of this.#storage.segments({ query, above: block.first - 1, end }, damage))
      yield segment.id === last?.segment ? { ...segment, to: last.index } : segment;
  }

  async #headsOf(
    stored: BlockStorage,
    blocks: readonly StoredBlock[],
  ): Promise<readonly (BlockHead | undefined)[]> {
    const missing = blocks.filter(({ id }) => !this.#known.has(id));
    const read = missing.length === 0 ? [] : await stored.heads(missing);
    for (const [place, head] of read.entries()) this.#known.set(missing[place]?.id ?? -1, head);
    const heads = blocks.map(({ id }) => this.#known.get(id));
    for (const id of this.#known.keys()) if (this.#known.size > maxKnown) this.#known.delete(id);
    return heads;
  }
}
