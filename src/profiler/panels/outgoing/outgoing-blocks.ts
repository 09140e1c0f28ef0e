import { formatMilliseconds } from '../../words/format.js';
import type { Block } from '../blocks/block.js';
import { captionOf, numberColumn, muted, table, type TableParts } from '../blocks/make-blocks.js';

interface Call {
  readonly offsetMs: number;
  readonly durationMs: number;
}

/** Creates a table of calls: start and duration before the other columns. `total` includes calls that were not recorded. */
export function callTable<Given extends Call>(
  caption: string,
  calls: readonly Given[],
  { total, columns, row, empty = '' }: TableParts<Given> & { readonly total: number },
): Block {
  return table(captionOf(caption, { shown: calls.length, more: total - calls.length }), calls, {
    columns: [
      numberColumn('After', ({ offsetMs }) => muted(formatMilliseconds(offsetMs)), { minor: true }),
      numberColumn('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
      ...columns,
    ],
    ...(row === undefined ? {} : { row }),
    empty,
  });
}
