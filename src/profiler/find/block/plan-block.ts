import type { Segment } from '../../model/profile-store.js';
import type { StoredBlock } from './block-search.js';

/** What becomes a block: so many segments, or so many rows; and the rows that one has at most, roughly. */
const atLeast = { segments: 64, rows: 32_768 } as const;
const maxRows = 32_768;
/** So many blocks in a row, of which none has this many times the rows of another's tier, become one. */
const mergedBlocks = 8;
/** Milliseconds that nothing is tried again after a failure: the blocks only make searches fast. */
const pauseMs = 60_000;

/** Segments looked at for one block. */
export const maxHeads = 1024;

/** Numbers of the first and the last of some segments, oldest first, that become a block; undefined where they are too few. */
export function segmentsOfBlock(
  heads: readonly { readonly id: number; readonly records: number }[],
): { readonly from: number; readonly to: number } | undefined {
  const total = heads.reduce((sum, { records }) => sum + records, 0);
  if (heads.length < atLeast.segments && total < atLeast.rows) return undefined;
  let rows = 0;
  const taken = heads.filter(({ records }) => (rows += records) <= maxRows + records);
  return { from: taken[0]?.id ?? 0, to: taken.at(-1)?.id ?? 0 };
}

/** Which of the blocks, newest first, are so alike that they become one; none where they are too few. */
export function blocksToMerge(blocks: readonly StoredBlock[]): readonly StoredBlock[] {
  const tier = tierOf(blocks[0]?.rows ?? 0);
  const alike = blocks.slice(0, mergedBlocks).filter(({ rows }) => tierOf(rows) === tier);
  const rows = alike.reduce((sum, block) => sum + block.rows, 0);
  return alike.length < mergedBlocks || rows > 2 * maxRows ? [] : alike;
}

function tierOf(rows: number): number {
  return Math.floor(Math.log(Math.max(1, rows)) / Math.log(mergedBlocks));
}

/** Decides when blocks may be due: by what this process wrote, with one look at what was there before. */
export class BlocksDue {
  #waiting: { segments: number; rows: number } = { segments: atLeast.segments, rows: 0 };
  #pausedUntil = 0;

  get isDue(): boolean {
    const { segments, rows } = this.#waiting;
    return (segments >= atLeast.segments || rows >= atLeast.rows) && performance.now() >= this.#pausedUntil;
  }

  /** What was just written. */
  add(written: readonly Segment[]): void {
    this.#waiting.segments += written.length;
    for (const { keys } of written) this.#waiting.rows += keys.length;
  }

  /** There are no more. */
  settle(): void {
    this.#waiting = { segments: 0, rows: 0 };
  }

  fail(): void {
    this.#pausedUntil = performance.now() + pauseMs;
  }
}
