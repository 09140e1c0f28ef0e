import type { Block, RichValue, Tone } from './block.js';

export function mono(text: string): RichValue {
  return { text, mono: true };
}

export function note(text: string, tone: Tone = 'neutral'): Block {
  return { kind: 'note', tone, text };
}

/** Blocks under a heading. */
export function section(
  title: string,
  blocks: Block | readonly Block[],
  more: { readonly count?: number; readonly folded?: boolean } = {},
): Block {
  return { kind: 'section', title, ...more, blocks: 'kind' in blocks ? [blocks] : blocks };
}
