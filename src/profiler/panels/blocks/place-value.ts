import type { EditorLinker } from '#errors';
import { shortPath } from '../../words/format.js';
import { say } from '../../words/say.js';
import type { RichValue } from './block.js';

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

/** Returns the frames of a call site as pairs, innermost first. */
export function callSitePairs(
  callSite: readonly CodePlace[],
  { editor }: { readonly editor: EditorLinker },
): readonly (readonly [string, RichValue])[] {
  return callSite.map((site, index) => [
    index === 0 ? say('Called from') : say('Called by'),
    placeValue(site, editor),
  ]);
}
