import { say } from '../../words/say.js';
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

/** A caption that says where only the first of a list are there. */
export function captionOf(
  caption: string,
  { shown, more }: { readonly shown: number; readonly more: number },
): string {
  const total = shown + more;
  return more > 0 ? say('{caption}, the first {shown} of {total}', { caption, shown, total }) : caption;
}
