import type { Picture } from '#dump';
import type { EditorLinker } from '#errors';
import { say } from '#phrases';
import { shortPath } from '../../words/format.js';
import type { Block, Metric, PanelBadge, RichValue, Row, TableColumn, Tone, Value } from './block.js';

export function mono(text: string): RichValue {
  return { text, mono: true };
}

export function muted(text: string): RichValue {
  return { text, muted: true };
}

export function pictureValue(picture: Picture): RichValue {
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

/** Returns a block with the number of omitted items; none if nothing was omitted. */
export function furtherItems(
  n: number,
  words: string,
  block: (text: string) => Block = note,
): readonly Block[] {
  return n > 0 ? [block(say(words, { n }))] : [];
}

export function warning(text: string): Block {
  return note(text, 'warn');
}

export function metric(label: string, value: Metric['value'], tone?: Tone): Metric {
  return { label: label, value, ...(tone === undefined ? {} : { tone }) };
}

export function metricsOf(metrics: readonly Metric[]): Block {
  return { kind: 'metrics', metrics };
}

/** A name and its value, which may be missing. */
export type Pair = readonly [key: string, value: Value | null | undefined];

/** Creates a block of names and values; pairs without a value or with an empty text are omitted. */
export function pairsOf(label: string, pairs: readonly Pair[], empty?: string): Block {
  const shown = pairs.flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [[key, value] as const],
  );
  return { kind: 'pairs', label, pairs: shown, ...(empty === undefined ? {} : { empty }) };
}

/** Returns a text with its formatting; undefined if the text is missing or empty. */
export function styledText(
  text: string | null | undefined,
  look: Omit<RichValue, 'text'> = { mono: true },
): RichValue | undefined {
  return text === null || text === undefined || text === '' ? undefined : { text, ...look };
}

/** Returns the items except false, null and undefined: `compact(isCut && note(…))`. */
export function compact<Item>(...items: readonly (Item | false | null | undefined)[]): readonly Item[] {
  return items.filter((item): item is Item => item !== false && item !== null && item !== undefined);
}

/** Returns the item made from a value, in a list; an empty list if the value is null or undefined. */
export function ifPresent<Value, Item>(
  value: Value | null | undefined,
  item: (value: Value) => Item,
): readonly Item[] {
  return value === null || value === undefined ? [] : [item(value)];
}

/** A column of a table, and the function that returns its cell for an item. */
export interface Column<Item> extends TableColumn {
  readonly cell: (item: Item, index: number) => Value;
}

type Look = Omit<TableColumn, 'label'>;

export function column<Item>(label: string, cell: Column<Item>['cell'], look: Look = {}): Column<Item> {
  return { label: label, ...look, cell };
}

/** Creates a column that is aligned to the end, for numbers. */
export function numberColumn<Item>(label: string, cell: Column<Item>['cell'], look: Look = {}): Column<Item> {
  return column(label, cell, { align: 'end', ...look });
}

export function wideColumn<Item>(label: string, cell: Column<Item>['cell']): Column<Item> {
  return column(label, cell, { grow: true });
}

export function minorColumn<Item>(label: string, cell: Column<Item>['cell']): Column<Item> {
  return column(label, cell, { minor: true });
}

/** Columns and options of a table. */
export interface TableParts<Item> {
  readonly columns: readonly Column<Item>[];
  /** Properties of a row in addition to its cells. */
  readonly row?: (item: Item, index: number) => Omit<Row, 'cells'>;
  /** Text shown if there are no items. */
  readonly empty?: string;
  /** Number of items that were left out. */
  readonly more?: number;
}

/** Creates a table with one row per item. */
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

/** Creates a badge that shows `count`; its words count `n` (by default `count`). Undefined if `n` is 0. */
export function badgeOf(
  count: number,
  words: string,
  { tone = 'neutral', n = count }: { readonly tone?: PanelBadge['tone']; readonly n?: number } = {},
): PanelBadge | undefined {
  return n === 0 ? undefined : { count, tone, words: say(words, { n }) };
}

/** Creates a section: blocks under a heading. */
export function section(
  title: string,
  blocks: Block | readonly Block[],
  more: Partial<Pick<Extract<Block, { kind: 'section' }>, 'count' | 'folded' | 'hint' | 'more'>> = {},
): Block {
  return { kind: 'section', title, ...more, blocks: 'kind' in blocks ? [blocks] : blocks };
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

/** Returns a caption that also says how many items are shown if some are omitted. */
export function captionOf(
  caption: string,
  { shown, more }: { readonly shown: number; readonly more: number },
): string {
  const total = shown + more;
  return more > 0 ? say('{caption}, the first {shown} of {total}', { caption, shown, total }) : caption;
}

/** A source position; the name of the function is empty or null if unknown. */
interface CodePlace {
  readonly name?: string | null | undefined;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Renders a position as `showHome (src/home.ts:30)`, linked to the reader's editor if one is configured. */
export function placeValue({ name, file, line, column }: CodePlace, editor: EditorLinker): RichValue {
  const named = name ?? '';
  const place = file === '' ? '' : `${shortPath(file)}:${line}`;
  const text = named === '' || place === '' ? named + place : `${named} (${place})`;
  return { text: text === '' ? '–' : text, mono: true, ...(file === '' ? {} : editor(file, line, column)) };
}

/** Returns the frames of a call site as pairs, innermost first, with a word where they are those of an earlier time. */
export function callSitePairs(
  { callSite, isRemembered }: { readonly callSite: readonly CodePlace[]; readonly isRemembered?: true },
  { editor }: { readonly editor: EditorLinker },
): readonly (readonly [string, RichValue])[] {
  const first = isRemembered === true ? 'Called from, as before' : 'Called from';
  return callSite.map((site, index) => [index === 0 ? first : 'Called by', placeValue(site, editor)]);
}
