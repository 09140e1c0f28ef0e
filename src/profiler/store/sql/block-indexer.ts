import { performance } from 'node:perf_hooks';
import { blockPart, segmentPart } from '../../find/block/block-parts.js';
import { BlockUnreadable, type StoredBlock } from '../../find/block/block-search.js';
import { blocksToMerge, BlocksDue, maxHeads, segmentsOfBlock } from '../../find/block/plan-block.js';
import { RowBlock } from '../../find/block/row-block.js';
import { type BlockPart, writeBlock, type WrittenBlock } from '../../find/block/write-block.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type { Segment } from '../../model/profile-store.js';
import type { SqlReader } from './sql-reader.js';

/** Milliseconds without a write after which the store counts as idle. */
const idleMs = 200;
/** While records arrive, the indexer pauses after its work for this many times as long as the work took. */
const restFactor = 50;

/** A new block, with the ids of its first and last segment. */
export type NewBlock = WrittenBlock & Pick<StoredBlock, 'first' | 'last'>;

/** Access to the blocks of an open database, for one step. */
export interface OpenBlocks {
  readonly reader: SqlReader;
  /** No new segment can appear with an id below this. */
  readonly below: number;
  /** Replaces blocks by a new one. Returns false if the blocks have changed in the meantime. */
  readonly replace: (change: BlockChange) => Promise<boolean> | boolean;
}

export interface BlockChange {
  readonly bucket: RecordBucket;
  /** Id of the last segment in the newest block. */
  readonly after: number;
  readonly block: NewBlock | undefined;
  readonly gone: readonly StoredBlock[];
}

/** Opens the blocks for one step. Resolves with false if they are not available now. */
export type WithBlocks = (step: (blocks: OpenBlocks) => Promise<boolean>) => Promise<boolean>;

/**
 * Combines the rows of segments into blocks after they were written. Searches read the blocks, and the segments that
 * follow them. Never throws.
 */
export class BlockIndexer {
  readonly #withBlocks: WithBlocks;
  readonly #due = new BlocksDue();
  #idle: NodeJS.Timeout | undefined;
  #restUntil = 0;
  #running: Promise<boolean> | undefined;

  constructor(withBlocks: WithBlocks) {
    this.#withBlocks = withBlocks;
  }

  /**
   * Notes segments that were just written. Little work is done while records arrive; the rest follows when the store is
   * idle.
   */
  add(written: readonly Segment[]): void {
    this.#due.add(written);
    clearTimeout(this.#idle);
    if (this.#due.isDue) void this.#work(0);
  }

  /** Builds the blocks that are due, for about the given number of milliseconds. */
  async run(milliseconds: number): Promise<void> {
    await this.#running;
    await this.#make(milliseconds);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    this.#restUntil = Number.POSITIVE_INFINITY;
    await this.#running;
  }

  async #work(milliseconds: number): Promise<void> {
    const start = performance.now();
    const isIdle = milliseconds > 0;
    if (isIdle || start >= this.#restUntil) {
      const isMore = await this.#make(milliseconds);
      this.#restUntil = Math.max(
        this.#restUntil,
        performance.now() + restFactor * (performance.now() - start),
      );
      if (!isMore) return;
    }
    clearTimeout(this.#idle);
    if (this.#restUntil === Number.POSITIVE_INFINITY) return;
    this.#idle = setTimeout(() => void this.#work(1), idleMs).unref();
  }

  /** Returns whether more blocks are due. */
  #make(milliseconds: number): Promise<boolean> {
    this.#running ??= this.#makeUntil(performance.now() + milliseconds).finally(
      () => (this.#running = undefined),
    );
    return this.#running;
  }

  async #makeUntil(end: number): Promise<boolean> {
    if (!this.#due.isDue) return false;
    try {
      for (const bucket of ['app', 'profiler'] as const) if (await this.#makeOf(bucket, end)) return true;
      this.#due.settle();
    } catch {
      this.#due.fail();
    }
    return false;
  }

  async #makeOf(bucket: RecordBucket, end: number): Promise<boolean> {
    while (await this.#withBlocks((blocks) => makeBlock(bucket, blocks)))
      if (performance.now() > end) return true;
    return false;
  }
}

/** Builds one block, from segments or by merging blocks. Returns false if there is none to build. */
async function makeBlock(bucket: RecordBucket, { reader, below, replace }: OpenBlocks): Promise<boolean> {
  const all = await reader.list(bucket);
  const start = (await reader.oldest(bucket))?.id ?? Number.MAX_SAFE_INTEGER;
  const after = all[0]?.last ?? 0;
  const pruned = all.filter(({ last }) => last < start);
  const blocks = all.filter(({ last }) => last >= start);
  const sizes = await reader.sizes(bucket, { above: after, below, limit: maxHeads });
  const range = segmentsOfBlock(sizes);
  const alike = range === undefined ? blocksToMerge(blocks) : [];
  const gone = [...pruned, ...alike];
  try {
    const parts =
      range === undefined
        ? await blockParts(reader, alike)
        : await segmentParts(
            reader,
            bucket,
            sizes.map(({ id }) => id).filter((id) => id <= range.to),
          );
    if (parts.length > 0)
      return await replace({ bucket, after, block: { ...writeBlock(parts), ...rangeOf(parts) }, gone });
  } catch (error) {
    // One of the blocks to merge is damaged: all of them are removed, and built again from their segments.
    if (!(error instanceof BlockUnreadable) || alike.length === 0) throw error;
    return replace({ bucket, after, block: undefined, gone });
  }
  if (pruned.length > 0) await replace({ bucket, after, block: undefined, gone });
  return false;
}

async function segmentParts(
  reader: SqlReader,
  bucket: RecordBucket,
  ids: readonly number[],
): Promise<readonly BlockPart[]> {
  const found: BlockPart[] = [];
  for (const segment of (await reader.segmentsOf(bucket, ids)).values()) {
    const data = segment.read();
    if (data !== undefined && 'directory' in data) found.push(segmentPart(segment, data));
  }
  return found;
}

async function blockParts(reader: SqlReader, blocks: readonly StoredBlock[]): Promise<readonly BlockPart[]> {
  if (blocks.length === 0) return [];
  const heads = await reader.heads(blocks);
  const open = blocks.flatMap((block, place) => {
    const head = heads[place];
    const source = { ...reader.source(block, new Map()), damaged: () => undefined };
    return head === undefined ? [] : new RowBlock(head, source);
  });
  await Promise.all(
    open.map((block) => block.load([], [...Object.keys(block.head.columns), 'origin', 'target'])),
  );
  return open.toReversed().map(blockPart);
}

function rangeOf(parts: readonly BlockPart[]): Pick<StoredBlock, 'first' | 'last'> {
  const [first = 0] = parts[0]?.segments[0] ?? [];
  const [last = 0] = parts.at(-1)?.segments.at(-1) ?? [];
  return { first, last };
}
