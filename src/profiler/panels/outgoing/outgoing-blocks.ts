import { formatMilliseconds } from '../../words/format.js';
import type { Block } from '../blocks/block.js';
import { captionOf, end, muted, table, type TableParts } from '../blocks/make-blocks.js';

interface Call {
  readonly offsetMs: number;
  readonly durationMs: number;
}

/** A table of calls, each with its time before its own columns; `total` counts those that are left out as well. */
export function callTable<Given extends Call>(
  caption: string,
  calls: readonly Given[],
  { total, columns, row, empty = '' }: TableParts<Given> & { readonly total: number },
): Block {
  return table(captionOf(caption, { shown: calls.length, more: total - calls.length }), calls, {
    columns: [
      end('After', ({ offsetMs }) => muted(formatMilliseconds(offsetMs)), { minor: true }),
      end('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
      ...columns,
    ],
    ...(row === undefined ? {} : { row }),
    empty,
  });
}
