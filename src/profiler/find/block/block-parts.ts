import { baseColumns } from '../../form/summary-columns.js';
import type { SegmentFacts } from '../../model/segment-facts.js';
import { type SegmentData, SegmentColumns } from '../find-rows.js';
import { onlyValue } from '../only-value.js';
import type { RowBlock } from './row-block.js';
import type { BlockPart } from './write-block.js';

/** A segment as a part of a block. */
export function segmentPart(
  segment: {
    readonly id: number;
    readonly startedAt: number;
    readonly closedAt: number;
    readonly facts: SegmentFacts;
  },
  data: SegmentData,
): BlockPart {
  const { id, startedAt, closedAt, facts } = segment;
  const rows = new SegmentColumns(data);
  return {
    count: rows.count,
    startedAt,
    closedAt,
    segments: [[id, rows.count]],
    names: [...baseColumns.map(({ name }) => name), ...rows.reader.collectedNames, 'durationClass'],
    key: (row) => rows.key(row),
    column: (name) => rows.column(name),
    only: (name) => onlyValue(facts, name),
  };
}

/** A block as a part of a larger one. */
export function blockPart(block: RowBlock): BlockPart {
  const { rows, startedAt, closedAt, facts, columns } = block.head;
  return {
    count: rows,
    startedAt,
    closedAt,
    segments: block.segments(),
    names: Object.keys(columns),
    key: (row) => block.key(row),
    column: (name) => block.column(name),
    only: (name) => onlyValue(facts, name),
  };
}
