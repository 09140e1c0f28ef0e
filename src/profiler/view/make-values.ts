import type { Snapshot } from '#core/dump';
import type { CodePosition, EditorLinker } from '#core/errors';
import { shortPath } from '../model/formatting.js';
import type { RichValue } from './block.js';

export function mono(text: string): RichValue {
  return { text, mono: true };
}

export function muted(text: string): RichValue {
  return { text, muted: true };
}

export function snapshotValue(snapshot: Snapshot): RichValue {
  return { text: '', snapshot };
}

/** Returns a text with its formatting; undefined if the text is missing or empty. */
export function styledText(
  text: string | null | undefined,
  look: Omit<RichValue, 'text'> = { mono: true },
): RichValue | undefined {
  return text === null || text === undefined || text === '' ? undefined : { text, ...look };
}

/** A source position. `name` is the function, empty or null if unknown. */
export interface CodeLocation extends CodePosition {
  readonly name?: string | null | undefined;
}

/** Renders a position as `showHome (src/home.ts:30)`, linked to the reader's editor if one is configured. */
export function locationValue(
  { name, file, line, column }: CodeLocation,
  editor: EditorLinker,
  { withColumn = false }: { readonly withColumn?: boolean } = {},
): RichValue {
  const named = name ?? '';
  const location = file === '' ? '' : `${shortPath(file)}:${line}${withColumn ? `:${column}` : ''}`;
  const text = named === '' || location === '' ? named + location : `${named} (${location})`;
  return { text: text === '' ? '–' : text, mono: true, ...(file === '' ? {} : editor(file, line, column)) };
}
