import { baseColumns } from '../../form/summary-columns.js';
import { type SegmentData, type SegmentRows, SegmentColumns } from '../find-rows.js';
import type { RowBlock } from './row-block.js';
import type { BlockPart } from './write-block.js';

const ownNames: readonly string[] = [...baseColumns.map(({ name }) => name), 'durationClass'];

/** Returns a segment as a part of a block. */
export function segmentPart(
  { id, startedAt, closedAt, facts }: Pick<SegmentRows, 'startedAt' | 'closedAt' | 'facts'> & { id: number },
  data: SegmentData,
): BlockPart {
  const rows = new SegmentColumns(data);
  const { count, reader } = rows;
  const names = [...ownNames, ...reader.collectedNames];
  return { count, startedAt, closedAt, segments: [[id, count]], facts, names, rows };
}

/** Returns a block as a part of a larger block. */
export function blockPart(block: RowBlock): BlockPart {
  const { rows: count, startedAt, closedAt, facts, columns } = block.head;
  const names = Object.keys(columns);
  return { count, startedAt, closedAt, segments: block.segments(), facts, names, rows: block };
}
