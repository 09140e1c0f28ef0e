import { formatCount, formatMilliseconds } from '../model/formatting.js';
import type { Block, Row, TableColumn, Value } from './block.js';
import { section } from './make-blocks.js';
import { muted } from './make-values.js';

/** A table column, and the function that returns its cell for an item. */
export interface Column<Item> extends TableColumn {
  readonly cell: (item: Item, index: number) => Value;
}

type Look = Omit<TableColumn, 'label'>;

export const column = {
  plain<Item>(label: string, cell: Column<Item>['cell']): Column<Item> {
    return { label, cell };
  },
  /** Aligned to the end. */
  number<Item>(label: string, cell: Column<Item>['cell'], look: Look = {}): Column<Item> {
    return { label, align: 'end', ...look, cell };
  },
  /** Takes the remaining width. */
  wide<Item>(label: string, cell: Column<Item>['cell']): Column<Item> {
    return { label, grow: true, cell };
  },
  /** Hidden in narrow windows. */
  minor<Item>(label: string, cell: Column<Item>['cell']): Column<Item> {
    return { label, minor: true, cell };
  },
  /** When a step began, in milliseconds since the request began. */
  start<Item>(ms: (item: Item) => number, look: Look = {}): Column<Item> {
    return column.number('Start', (item) => muted(formatMilliseconds(ms(item))), look);
  },
  /** When something without a duration happened, in milliseconds since the request began. */
  at<Item>(ms: (item: Item) => number): Column<Item> {
    return column.number('At', (item) => muted(formatMilliseconds(ms(item))));
  },
  duration(): Column<{ readonly durationMs: number }> {
    return column.number('Duration', ({ durationMs }) => formatMilliseconds(durationMs));
  },
};

interface TableParts<Item> {
  readonly columns: readonly Column<Item>[];
  readonly row?: (item: Item, index: number) => Omit<Row, 'cells'>;
  /** Text shown if there are no items. */
  readonly empty?: string;
  /** Number of omitted items. */
  readonly more?: number;
}

export function table<Item>(
  caption: string,
  items: readonly Item[],
  { columns, row, empty, more = 0 }: TableParts<Item>,
): Extract<Block, { kind: 'table' }> {
  return {
    kind: 'table',
    caption: captionOf(caption, { shown: items.length, more }),
    ...(more > 0 ? { isCut: true as const } : {}),
    columns: columns.map((column) => {
      const { cell: _, ...head } = column;
      return head;
    }),
    rows: items.map((item, index) => ({
      ...row?.(item, index),
      cells: columns.map(({ cell }) => cell(item, index)),
    })),
    ...(empty === undefined ? {} : { empty }),
  };
}

/** Creates a section with one table; its heading shows the number of rows. */
export function tableSection<Item>(
  title: string,
  items: readonly Item[],
  parts: TableParts<Item> & { readonly caption?: string; readonly count?: number; readonly folded?: boolean },
): Block {
  const { caption = title, count = items.length, folded } = parts;
  return section(title, table(caption, items, parts), { count, ...(folded === undefined ? {} : { folded }) });
}

/** Returns a caption, which includes the number of items shown if some are omitted. */
export function captionOf(
  caption: string,
  { shown, more }: { readonly shown: number; readonly more: number },
): string {
  return more > 0 ? `${caption}, the first ${formatCount(shown)} of ${formatCount(shown + more)}` : caption;
}
