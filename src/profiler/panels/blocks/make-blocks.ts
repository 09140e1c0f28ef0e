import type { Picture } from '#dump';
import { say } from '#phrases';
import type { Block, Metric, PanelBadge, Tone, Value } from './block.js';

export function note(text: string, tone: Tone = 'neutral'): Block {
  return { kind: 'note', tone, text };
}

export function line(text: string): Block {
  return { kind: 'text', text };
}

export function code(label: string, text: string, language?: string): Block {
  return { kind: 'code', label, text, ...(language === undefined ? {} : { language }) };
}

export function pictureBlock(label: string, picture: Picture): Block {
  return { kind: 'picture', label, picture };
}

/** Blocks of which some may be absent: `[isCut && note(…), rows]`. */
export type Blocks = Block | false | null | undefined | readonly Blocks[];

/** Returns the blocks that are present. */
export function blocksOf(...blocks: readonly Blocks[]): readonly Block[] {
  return blocks.flatMap((one) => {
    if (one === false || one === null || one === undefined) return [];
    return 'kind' in one ? [one] : blocksOf(...one);
  });
}

/** Returns a block with the number of omitted items; undefined if nothing was omitted. */
export function furtherItems(
  n: number,
  words: string,
  block: (text: string) => Block = note,
): Block | undefined {
  return n > 0 ? block(say(words, { n })) : undefined;
}

export function warning(text: string): Block {
  return note(text, 'warn');
}

export function metric(label: string, value: Metric['value'], tone?: Tone): Metric {
  return { label: label, value, ...(tone === undefined ? {} : { tone }) };
}

/** Returns a block of the metrics that are present. */
export function metricsOf(...metrics: readonly (Metric | false)[]): Block {
  return { kind: 'metrics', metrics: compact(...metrics) };
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

/** Returns the items except false, null and undefined: `compact(isCut && note(…))`. */
export function compact<Item>(...items: readonly (Item | false | null | undefined)[]): readonly Item[] {
  return items.filter((item): item is Item => item !== false && item !== null && item !== undefined);
}

/** Creates a badge that shows `count`; its words count `n` (by default `count`). Undefined if `n` is 0. */
export function badgeOf(
  count: number,
  words: string,
  { tone = 'neutral', n = count }: { readonly tone?: PanelBadge['tone']; readonly n?: number } = {},
): PanelBadge | undefined {
  return n === 0 ? undefined : { count, tone, words: say(words, { n }) };
}

type SectionParts = Partial<Pick<Extract<Block, { kind: 'section' }>, 'count' | 'folded' | 'hint' | 'more'>>;

/** Creates a section: blocks under a heading. */
export function section(title: string, blocks: Blocks, parts: SectionParts = {}): Block {
  return { kind: 'section', title, ...parts, blocks: blocksOf(blocks) };
}

/** Creates a section with one block of names and values. */
export function pairSection(
  title: string,
  pairs: readonly Pair[],
  { empty, ...parts }: SectionParts & { readonly empty?: string } = {},
): Block {
  return section(title, pairsOf(title, pairs, empty), parts);
}
