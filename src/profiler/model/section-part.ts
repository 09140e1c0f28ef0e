import type { Redactor } from '#core/dump';
import type { TimelineEntry } from './profile-record.js';

/** A number of a section that can be listed and searched. */
export interface CollectedField {
  /** `db.queries`. */
  readonly column: string;
  readonly kind: 'count' | 'ms';
  /** Label shown in lists if the number is above 0 and deserves attention: `N+1`. `has:` finds it by the label without spaces. */
  readonly finding?: string;
}

/** A collected field as a part declares it, under the field's name. */
export interface SummaryField extends Omit<CollectedField, 'column'> {
  /** Computes the number from the data of the collector. */
  readonly of: (data: unknown) => number;
}

/** Declaration of a collector's section: what lists and the timeline show of it. */
export interface SectionPart {
  readonly summary?: Readonly<Record<string, SummaryField>>;
  /** Returns the time that the section accounts for, as bars of the timeline and shares of the breakdown. */
  readonly timeline?: (data: unknown) => readonly TimelineEntry[];
}

/** The section of a collector of this package. All but `summary`, which budgets use, runs in the writer's thread. */
export interface CompletedPart extends SectionPart {
  readonly name: string;
  /** Removes the secrets of the data. Absent if the collector returns none. */
  readonly clean?: (data: unknown, redactor: Redactor) => unknown;
  /** Makes the section of the clean data. `startedAt` of the request, in milliseconds since the epoch. */
  readonly complete?: (data: unknown, startedAt: number) => unknown;
}

export function collectedName(section: string, name: string): string {
  return `${section}.${name}`;
}

/** Returns the numbers that the parts of collectors declare, named `section.name`. */
export function collectedFields(
  parts: readonly (readonly [section: string, part: SectionPart])[],
): readonly CollectedField[] {
  return parts.flatMap(([section, { summary = {} }]) =>
    Object.entries(summary).map(([name, { kind, finding }]) => ({
      column: collectedName(section, name),
      kind,
      ...(finding === undefined ? {} : { finding }),
    })),
  );
}

/** Returns the numbers of a section by column. One counts as 0 if its function throws, or if it is negative or not finite. */
export function numbersOf(
  section: string,
  { summary = {} }: SectionPart,
  data: unknown,
  failed: (error: unknown) => void,
): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const [name, field] of Object.entries(summary)) {
    let number = 0;
    try {
      number = Number(field.of(data)); // a bigint would fail as JSON, with all records beside it
    } catch (error) {
      failed(error);
    }
    numbers[collectedName(section, name)] = number > 0 && number < Infinity ? number : 0;
  }
  return numbers;
}
