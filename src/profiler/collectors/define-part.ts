import type { Redactor } from '#dump';
import type { SectionPart, SummaryField } from '../model/section-part.js';
import type { TimelineEntry } from '../model/time-breakdown.js';

/**
 * Declaration of the section of a collector of this package. The collector returns raw data on the thread of the request;
 * everything here is called in the writer's thread, except `summary`, which budgets use as well.
 */
export interface CompletedPart extends SectionPart {
  /** Removes the secrets of the data. Absent if the collector returns none. */
  readonly clean?: (data: unknown, redactor: Redactor) => unknown;
  /** Makes the section of the clean data. `startedAt` of the request, in milliseconds since the epoch. */
  readonly complete?: (data: unknown, startedAt: number) => unknown;
}

/** Defines a part. Its functions receive data of the type that the collector returns: nothing else comes under its name. */
export function definePart<Data>(part: {
  readonly summary?: Readonly<
    Record<string, Omit<SummaryField, 'of'> & { readonly of: (data: Data) => number }>
  >;
  readonly timeline?: (data: Data) => readonly TimelineEntry[];
  readonly clean?: (data: Data, redactor: Redactor) => Data;
  readonly complete?: (data: Data, startedAt: number) => unknown;
}): CompletedPart {
  return part as CompletedPart; // see above
}

/** Returns a copy of plain data with each of its texts replaced. */
export function mapTexts<Data>(data: Data, replace: (text: string) => string): Data {
  const map = (value: unknown): unknown => {
    if (typeof value === 'string') return replace(value);
    if (Array.isArray(value)) return value.map(map);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member)]));
  };
  return map(data) as Data; // of the same form
}
