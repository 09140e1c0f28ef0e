import type { Segment } from '../../model/profile-store.js';
import type { StoredBlock } from './block-search.js';

/** A block is built once there are this many segments or rows. */
const threshold = { segments: 64, rows: 32_768 } as const;
/** Approximate maximum number of rows of a new block. */
const maxRows = 32_768;
/** Number of consecutive blocks of the same size tier that are merged; also the ratio between two tiers. */
const mergedBlocks = 8;
/** Milliseconds without another attempt after a failure. Blocks only make searches faster, so there is no hurry. */
const pauseMs = 60_000;

/** Maximum number of segments considered for one block. */
export const maxHeads = 1024;

/**
 * Returns the ids of the first and last segment to combine into a block; undefined if there are too few. `heads` are
 * sorted oldest first.
 */
export function segmentsOfBlock(
  heads: readonly { readonly id: number; readonly records: number }[],
): { readonly from: number; readonly to: number } | undefined {
  const total = heads.reduce((sum, { records }) => sum + records, 0);
  if (heads.length < threshold.segments && total < threshold.rows) return undefined;
  let rows = 0;
  const taken = heads.filter(({ records }) => (rows += records) <= maxRows + records);
  return { from: taken[0]?.id ?? 0, to: taken.at(-1)?.id ?? 0 };
}

/** Returns the blocks to merge: the newest ones, if enough of them are in the same size tier. `blocks` are newest first. */
export function blocksToMerge(blocks: readonly StoredBlock[]): readonly StoredBlock[] {
  const tier = tierOf(blocks[0]?.rows ?? 0);
  const alike = blocks.slice(0, mergedBlocks).filter(({ rows }) => tierOf(rows) === tier);
  const rows = alike.reduce((sum, block) => sum + block.rows, 0);
  return alike.length < mergedBlocks || rows > 2 * maxRows ? [] : alike;
}

function tierOf(rows: number): number {
  return Math.floor(Math.log(Math.max(1, rows)) / Math.log(mergedBlocks));
}

/** Decides when building blocks is due, by what this process wrote. It starts as due, for data of earlier processes. */
export class BlocksDue {
  #waiting: { segments: number; rows: number } = { segments: threshold.segments, rows: 0 };
  #pausedUntil = 0;

  get isDue(): boolean {
    const { segments, rows } = this.#waiting;
    return (
      (segments >= threshold.segments || rows >= threshold.rows) && performance.now() >= this.#pausedUntil
    );
  }

  /** Counts segments that were just written. */
  add(written: readonly Segment[]): void {
    this.#waiting.segments += written.length;
    for (const { keys } of written) this.#waiting.rows += keys.length;
  }

  /** Called when nothing is left to combine. */
  settle(): void {
    this.#waiting = { segments: 0, rows: 0 };
  }

  fail(): void {
    this.#pausedUntil = performance.now() + pauseMs;
  }
}
