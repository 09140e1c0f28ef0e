import type { EditorLinker } from '#errors';
import { shortPath } from '../../words/format.js';
import { say } from '../../words/say.js';
import type { RichValue } from './block.js';

/** A place of code; the name of the function is empty or null where it is not known. */
interface CodePlace {
  readonly name?: string | null | undefined;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** `showHome (src/home.ts:30)`, which opens in the reader's editor where one is set. */
export function placeValue({ name, file, line, column }: CodePlace, editor: EditorLinker): RichValue {
  const named = name ?? '';
  const place = file === '' ? '' : `${shortPath(file)}:${line}`;
  const text = named === '' || place === '' ? named + place : `${named} (${place})`;
  return { text: text === '' ? '–' : text, mono: true, ...(file === '' ? {} : editor(file, line, column)) };
}

/** Where the application called from, innermost first. */
export function callSitePairs(
  callSite: readonly CodePlace[],
  { editor }: { readonly editor: EditorLinker },
): readonly (readonly [string, RichValue])[] {
  return callSite.map((site, index) => [
    index === 0 ? say('Called from') : say('Called by'),
    placeValue(site, editor),
  ]);
}
