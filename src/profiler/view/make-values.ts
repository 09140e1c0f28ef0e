import type { Picture } from '#core/dump';
import type { CodePosition, EditorLinker } from '#core/errors';
import { shortPath } from '../model/formatting.js';
import type { RichValue } from './block.js';

export function mono(text: string): RichValue {
  return { text, mono: true };
}

export function muted(text: string): RichValue {
  return { text, muted: true };
}

export function pictureValue(picture: Picture): RichValue {
  return { text: '', picture };
}

/** Returns a text with its formatting; undefined if the text is missing or empty. */
export function styledText(
  text: string | null | undefined,
  look: Omit<RichValue, 'text'> = { mono: true },
): RichValue | undefined {
  return text === null || text === undefined || text === '' ? undefined : { text, ...look };
}

/** A source position; the name of the function is empty or null if unknown. */
export interface CodePlace extends CodePosition {
  readonly name?: string | null | undefined;
}

/** Renders a position as `showHome (src/home.ts:30)`, linked to the reader's editor if one is configured. */
export function placeValue({ name, file, line, column }: CodePlace, editor: EditorLinker): RichValue {
  const named = name ?? '';
  const place = file === '' ? '' : `${shortPath(file)}:${line}`;
  const text = named === '' || place === '' ? named + place : `${named} (${place})`;
  return { text: text === '' ? '–' : text, mono: true, ...(file === '' ? {} : editor(file, line, column)) };
}
