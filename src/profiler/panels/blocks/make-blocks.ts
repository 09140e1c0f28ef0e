import type { Picture } from '#dump';
import { type Phrase, say } from '../../words/say.js';
import type { Block, Metric, PanelBadge, RichValue, Row, TableColumn, Tone, Value } from './block.js';

export function mono(text: string): RichValue {
  return { text, mono: true };
}

export function muted(text: string): RichValue {
  return { text, muted: true };
}

export function pictured(picture: Picture): RichValue {
  return { text: '', picture };
}

export function note(text: string, tone: Tone = 'neutral'): Block {
  return { kind: 'note', tone, text };
}

export function line(text: string): Block {
  return { kind: 'text', text };
}

export function code(label: string, text: string, language?: string): Block {
  return { kind: 'code', label, text, ...(language === undefined ? {} : { language }) };
}

/** What was left out, where anything was. */
export function further(n: number, words: Phrase, block: (text: string) => Block = note): readonly Block[] {
  return n > 0 ? [block(say(words, { n }))] : [];
}

export function warning(text: string): Block {
  return note(text, 'warn');
}

export function metric(label: Phrase, value: Metric['value'], tone?: Tone): Metric {
  return { label: say(label), value, ...(tone === undefined ? {} : { tone }) };
}

export function metricsOf(metrics: readonly Metric[]): Block {
  return { kind: 'metrics', metrics };
}

/** A name and its value, if it has one. */
export type Pair = readonly [key: string, value: Value | null | undefined];

/** Names and values; those without a value, or with an empty text, are left out. */
export function pairsOf(label: string, pairs: readonly Pair[], empty?: string): Block {
  const shown = pairs.flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [[key, value] as const],
  );
  return { kind: 'pairs', label, pairs: shown, ...(empty === undefined ? {} : { empty }) };
}

/** A text that there may be none of, with its look. */
export function styled(
  text: string | null | undefined,
  look: Omit<RichValue, 'text'> = { mono: true },
): RichValue | undefined {
  return text === null || text === undefined || text === '' ? undefined : { text, ...look };
}

/** Those of a list that there are: `present(isCut && note(…))`. */
export function present<Item>(...items: readonly (Item | false | null | undefined)[]): readonly Item[] {
  return items.filter((item): item is Item => item !== false && item !== null && item !== undefined);
}

/** What is made of a value, where there is one. */
export function given<Value, Item>(
  value: Value | null | undefined,
  item: (value: Value) => Item,
): readonly Item[] {
  return value === null || value === undefined ? [] : [item(value)];
}

/** A column of a table, and what a row has in it. */
export interface Column<Item> extends TableColumn {
  readonly cell: (item: Item, place: number) => Value;
}

type Look = Omit<TableColumn, 'label'>;

export function column<Item>(label: Phrase, cell: Column<Item>['cell'], look: Look = {}): Column<Item> {
  return { label: say(label), ...look, cell };
}

/** A column of numbers. */
export function end<Item>(label: Phrase, cell: Column<Item>['cell'], look: Look = {}): Column<Item> {
  return column(label, cell, { align: 'end', ...look });
}

export function grow<Item>(label: Phrase, cell: Column<Item>['cell']): Column<Item> {
  return column(label, cell, { grow: true });
}

export function minor<Item>(label: Phrase, cell: Column<Item>['cell']): Column<Item> {
  return column(label, cell, { minor: true });
}

/** What a table is made of beside its items. */
export interface TableParts<Item> {
  readonly columns: readonly Column<Item>[];
  /** What a row has beside its cells. */
  readonly row?: (item: Item, place: number) => Omit<Row, 'cells'>;
  /** What to say where there are no items. */
  readonly empty?: string;
}

/** A table with a row for each item. */
export function table<Item>(
  caption: string,
  items: readonly Item[],
  { columns, row, empty }: TableParts<Item>,
): Extract<Block, { kind: 'table' }> {
  return {
    kind: 'table',
    caption,
    columns: columns.map((column) => {
      const { cell: _, ...head } = column;
      return head;
    }),
    rows: items.map((item, place) => ({
      ...row?.(item, place),
      cells: columns.map(({ cell }) => cell(item, place)),
    })),
    ...(empty === undefined ? {} : { empty }),
  };
}

/** A badge whose words count `n`, else what it shows; none where that is nothing. */
export function badgeOf(
  count: number,
  words: Phrase,
  { tone = 'neutral', n = count }: { readonly tone?: PanelBadge['tone']; readonly n?: number } = {},
): PanelBadge | undefined {
  return n === 0 ? undefined : { count, tone, words: say(words, { n }) };
}

/** Blocks under a heading. */
export function section(
  title: string,
  blocks: Block | readonly Block[],
  more: { readonly count?: number; readonly folded?: boolean } = {},
): Block {
  return { kind: 'section', title, ...more, blocks: 'kind' in blocks ? [blocks] : blocks };
}

/** A table under a heading that counts its rows. */
export function tableSection<Item>(
  title: string,
  items: readonly Item[],
  parts: TableParts<Item> & { readonly caption?: string; readonly count?: number; readonly folded?: boolean },
): Block {
  const { caption = title, count = items.length, folded } = parts;
  return section(title, table(caption, items, parts), { count, ...(folded === undefined ? {} : { folded }) });
}

/** A caption that says where only the first of a list are there. */
export function captionOf(
  caption: string,
  { shown, more }: { readonly shown: number; readonly more: number },
): string {
  const total = shown + more;
  return more > 0 ? say('{caption}, the first {shown} of {total}', { caption, shown, total }) : caption;
}
