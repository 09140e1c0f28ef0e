import type { Picture } from '#dump';
import { type Phrase, say } from '../../words/say.js';
import type { Block, Metric, PanelBadge, RichValue, TableColumn, Tone, Value } from './block.js';

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

/** A name and its value. */
export type Pair = readonly [key: string, value: Value];

export function pairsOf(label: string, pairs: readonly Pair[], empty?: string): Block {
  return { kind: 'pairs', label, pairs, ...(empty === undefined ? {} : { empty }) };
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

export function column(label: Phrase): TableColumn {
  return { label: say(label) };
}

/** A column of numbers. */
export function end(label: Phrase): TableColumn {
  return { label: say(label), align: 'end' };
}

export function grow(label: Phrase): TableColumn {
  return { label: say(label), grow: true };
}

export function minor(label: Phrase): TableColumn {
  return { label: say(label), minor: true };
}

/** A badge whose words count `n`, else what it shows. */
export function badgeOf(
  count: number,
  words: Phrase,
  { tone = 'neutral', n = count }: { readonly tone?: PanelBadge['tone']; readonly n?: number } = {},
): PanelBadge {
  return { count, tone, words: say(words, { n }) };
}

/** Blocks under a heading. */
export function section(
  title: string,
  blocks: Block | readonly Block[],
  more: { readonly count?: number; readonly folded?: boolean } = {},
): Block {
  return { kind: 'section', title, ...more, blocks: 'kind' in blocks ? [blocks] : blocks };
}

/** A table under a heading that is its caption too, unless it has one of its own; `count` is that of its rows by default. */
export function tableSection(
  title: string,
  table: Omit<Extract<Block, { kind: 'table' }>, 'kind' | 'caption'> & { readonly caption?: string },
  more: { readonly count?: number; readonly folded?: boolean } = {},
): Block {
  return section(title, { kind: 'table', caption: title, ...table }, { count: table.rows.length, ...more });
}

/** A caption that says where only the first of a list are there. */
export function captionOf(
  caption: string,
  { shown, more }: { readonly shown: number; readonly more: number },
): string {
  const total = shown + more;
  return more > 0 ? say('{caption}, the first {shown} of {total}', { caption, shown, total }) : caption;
}
