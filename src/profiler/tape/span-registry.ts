import type { SpanKind } from '../record/spans.js';

export type { SpanKind } from '../record/spans.js';

/** Registered kinds by their ids. Module state: spans are registered once per process. */
const kinds: SpanKind[] = [];
const numbers = new Map<string, number>(); // module state: id of each registered kind by its text
const maxKinds = 20_000;
/** For each id, a value of `spanClock`. */
const clocks = new Uint8Array(maxKinds);
/**
 * The ends of a span for which the clock is read. For the other end, the last clock reading is used: a listener begins
 * when its stage began or the previous listener ended, and a stage ends with its last listener.
 */
export const spanClock = { both: 0, endOnly: 1, beginOnly: 2 } as const;
const maxNameLength = 300;

/**
 * Registers a kind of span and returns its id, which a recording uses so that it need not create an object per span. Call
 * it once per listener, not per request. The same description always has the same id.
 */
export function registerSpan({ category, event = '', priority = 0, name, place = '' }: SpanKind): number {
  const kind = { name: name.slice(0, maxNameLength), category, event, priority, place };
  const text = [category, event, priority, place, kind.name].join('\0');
  const known = numbers.get(text);
  if (known !== undefined) return known;
  if (kinds.length >= maxKinds) return 0;
  numbers.set(text, kinds.length);
  if (category === 'listener') clocks[kinds.length] = spanClock.endOnly;
  if (category === 'stage') clocks[kinds.length] = spanClock.beginOnly;
  return kinds.push(kind) - 1;
}

registerSpan({ name: 'further kinds', category: 'other' });

export function spanClockOf(id: number): number {
  return clocks[id] ?? spanClock.both;
}

export function spanNameOf(id: number): string {
  return (kinds[id] ?? kinds[0])?.name ?? '';
}

/** Returns the registered kinds; ids are their places. */
export function spanKinds(): readonly SpanKind[] {
  return kinds;
}
