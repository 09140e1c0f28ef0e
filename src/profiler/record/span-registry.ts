/** What one stretch of time is called. */
export interface SpanKind {
  /** Name of the stage, the listener … */
  readonly name: string;
  /** `stage`, `listener`, `controller`, or a collector's own word. */
  readonly category: string;
  /** Event and priority of a listener. */
  readonly event?: string;
  readonly priority?: number;
}

const kinds: SpanKind[] = [];
const numbers = new Map<string, number>();
const most = 20_000;

/**
 * Gives the number by which a recording notes a stretch of time, so that noting it makes no object. Call it once for a
 * listener, not for a request; the same description has the same number.
 */
export function registerSpan(kind: SpanKind): number {
  const key = JSON.stringify([kind.category, kind.event ?? '', kind.priority ?? 0, kind.name]);
  const known = numbers.get(key);
  if (known !== undefined) return known;
  if (kinds.length >= most) return 0;
  numbers.set(key, kinds.length);
  return kinds.push({ ...kind, name: kind.name.slice(0, 300) }) - 1;
}

/** The text that stands for a kind in a record. */
export function describeSpan(id: number): string {
  const { category, event, priority, name } = kinds[id] ?? overflow;
  return JSON.stringify([category, event ?? '', priority ?? 0, name]);
}

const overflow: SpanKind = { name: 'more kinds than are told apart', category: 'other' };
registerSpan(overflow);
