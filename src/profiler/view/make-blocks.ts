import type { Snapshot } from '#core/dump';
import { say } from '#core/phrases';
import type { Block, Blocks, Tone } from './block.js';

export function note(text: string, tone: Tone = 'neutral'): Block {
  return { kind: 'note', tone, text };
}

export function line(text: string): Block {
  return { kind: 'text', text };
}

export function code(label: string, text: string, language?: string): Block {
  return { kind: 'code', label, text, ...(language === undefined ? {} : { language }) };
}

export function snapshotBlock(label: string, snapshot: Snapshot): Block {
  return { kind: 'snapshot', label, snapshot };
}

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

/** Returns the items except false, null and undefined: `compact(isCut && note(…))`. */
export function compact<Item>(...items: readonly (Item | false | null | undefined)[]): readonly Item[] {
  return items.filter((item): item is Item => item !== false && item !== null && item !== undefined);
}

export type SectionDefinitions = Partial<
  Pick<Extract<Block, { kind: 'section' }>, 'count' | 'folded' | 'hint' | 'more'>
>;

/** Creates a section: blocks under a heading. */
export function section(title: string, blocks: Blocks, parts: SectionDefinitions = {}): Block {
  return { kind: 'section', title, ...parts, blocks: blocksOf(blocks) };
}

/** Creates the error for a block of a custom section that was written without types. */
export function unknownKind(): TypeError {
  return new TypeError('A block has an unknown kind');
}
