import { formatMilliseconds } from '../../words/format.js';
import type { Block, Row, TableColumn, Value } from '../blocks/block.js';
import { captionOf, end, type Pair } from '../blocks/make-blocks.js';

interface Call {
  readonly offsetMs: number;
  readonly durationMs: number;
}

/** A table of calls, each with its time; `row` gives the cells behind it, `total` counts those that are left out as well. */
export function callTable<Given extends Call>(given: {
  readonly caption: string;
  readonly calls: readonly Given[];
  readonly total: number;
  readonly columns: readonly TableColumn[];
  readonly row: (call: Given, place: number) => Row;
  readonly empty?: string;
}): Block {
  const { caption, calls, total, columns, row, empty = '' } = given;
  return {
    kind: 'table',
    caption: captionOf(caption, { shown: calls.length, more: total - calls.length }),
    columns: [{ ...end('After'), minor: true }, end('Duration'), ...columns],
    rows: calls.map((call, place): Row => {
      const { cells, ...rest } = row(call, place);
      const after = { ...timeCell(call.offsetMs), muted: true };
      return { ...rest, cells: [after, timeCell(call.durationMs), ...cells] };
    }),
    empty,
  };
}

/** A pair where there is something to say. */
export function pairOf(
  key: string,
  value: string | null,
  how: Omit<Exclude<Value, string | number>, 'text'> = {},
): readonly Pair[] {
  return value === null || value === '' ? [] : [[key, { text: value, ...how }]];
}

export function timeCell(milliseconds: number): Exclude<Value, string | number> {
  return { text: formatMilliseconds(milliseconds) };
}
