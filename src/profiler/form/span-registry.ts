/** Description of a kind of span. */
export interface SpanKind {
  /** Name of the stage, listener, … */
  readonly name: string;
  /** `stage`, `listener`, `controller`, or a category of a collector. */
  readonly category: string;
  /** Event and priority of a listener. */
  readonly event?: string;
  readonly priority?: number;
  /** Place where a listener was added: `file:line:column`. */
  readonly place?: string;
}

/** Registered kinds, encoded as in a record (see `registerSpan`). Module state: spans are registered once per process. */
const kinds: string[] = [];
const categories: string[] = [];
const names: string[] = [];
const numbers = new Map<string, number>(); // module state: id of each registered kind by its encoded text
const maxKinds = 20_000;
/** For each id, a value of `spanClock`. */
const clocks = new Uint8Array(maxKinds);
/**
 * The ends of a span for which the clock is read. For the other end, the last clock reading is used: a listener begins
 * when its stage began or the previous listener ended, and a stage ends with its last listener.
 */
export const spanClock = { both: 0, endOnly: 1, beginOnly: 2 } as const;
const maxNameLength = 300;
const separator = '\0';

/**
 * Registers a kind of span and returns its id, which a recording uses so that it need not create an object per span. Call
 * it once per listener, not per request. The same description always has the same id.
 */
export function registerSpan({ category, event = '', priority = 0, name, place = '' }: SpanKind): number {
  // The place is appended to the priority, because older records have only the priority there.
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

/** Returns the encoded text of a kind for a record. */
export function spanWord(id: number): string {
  return kinds[id] ?? kinds[0] ?? '';
}

/** Decodes the text of a kind. */
export function readSpanWord(word: string): Required<Omit<SpanKind, 'place'>> & Pick<SpanKind, 'place'> {
  const [category = 'other', event = '', priority = '0', ...name] = word.split(separator);
  const [number = '0', ...place] = priority.split(' ');
  const kind = { category, event, priority: Number(number), name: name.join(separator) };
  return place.length === 0 ? kind : { ...kind, place: place.join(' ') };
}
