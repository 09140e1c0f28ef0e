/** What one stretch of time is called. */
export interface SpanKind {
  /** Name of the stage, the listener … */
  readonly name: string;
  /** `stage`, `listener`, `controller`, or a collector's own word. */
  readonly category: string;
  /** Event and priority of a listener. */
  readonly event?: string;
  readonly priority?: number;
  /** Where a listener was added: `file:line:column`. */
  readonly place?: string;
}

/** Kinds as the words that stand for them in a record. */
const kinds: string[] = [];
const categories: string[] = [];
const names: string[] = [];
const numbers = new Map<string, number>(); // kinds of spans, by their names: those of the program
const maxKinds = 20_000;
/** By number, which of its ends is not read from the clock, see `spanClock`. */
const clocks = new Uint8Array(maxKinds);
/** A listener begins with what was noted last (its stage, the listener before it); a stage ends with its last listener. */
export const spanClock = { both: 0, endOnly: 1, beginOnly: 2 } as const;
const maxNameLength = 300;
const separator = '\0';

/**
 * Returns the number by which a recording notes a span, so that noting it creates no object. Call it once per
 * listener, not per request; the same description has the same number.
 */
export function registerSpan({ category, event = '', priority = 0, name, place = '' }: SpanKind): number {
  // Behind the priority, where readers of older records find only that.
  const text = [
    category,
    event,
    place === '' ? priority : `${priority} ${place}`,
    name.slice(0, maxNameLength),
  ].join(separator);
  const known = numbers.get(text);
  if (known !== undefined) return known;
  if (kinds.length >= maxKinds) return 0;
  numbers.set(text, kinds.length);
  if (category === 'listener') clocks[kinds.length] = spanClock.endOnly;
  if (category === 'stage') clocks[kinds.length] = spanClock.beginOnly;
  categories.push(category);
  names.push(name.slice(0, maxNameLength));
  return kinds.push(text) - 1;
}

registerSpan({ name: 'further kinds', category: 'other' });

export function spanClockOf(id: number): number {
  return clocks[id] ?? spanClock.both;
}

export function spanCategoryOf(id: number): string {
  return categories[id] ?? 'other';
}

export function spanNameOf(id: number): string {
  return names[id] ?? names[0] ?? '';
}

/** The word that stands for a kind in a record. */
export function spanWord(id: number): string {
  return kinds[id] ?? kinds[0] ?? '';
}

/** The kind that a word stands for. */
export function readSpanWord(word: string): Required<Omit<SpanKind, 'place'>> & Pick<SpanKind, 'place'> {
  const [category = 'other', event = '', priority = '0', ...name] = word.split(separator);
  const [number = '0', ...place] = priority.split(' ');
  const kind = { category, event, priority: Number(number), name: name.join(separator) };
  return place.length === 0 ? kind : { ...kind, place: place.join(' ') };
}
