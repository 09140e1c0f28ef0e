import type { Redactor } from '#core/dump';
import type { TimelineEntry } from '../model/profile-record.js';
import type { Recording } from '../model/recording.js';
import type { Panel, SectionGroup } from './panel.js';

/**
 * One thing that a record holds, such as its queries, or the feature flags of an application: how it is collected, which of
 * its numbers lists show, which time it accounts for, what is worth a finding, and its panel. Only `id` is required.
 *
 * If a function of a section throws, the request is not affected: the record lacks what the function would have returned.
 */
export interface Section<Data = unknown> {
  /** Key of the data in `sections` of the record, and value of `?panel=`: lowercase letters, digits and hyphens. */
  readonly id: string;
  /** Name of the panel. Default: the id. */
  readonly title?: string;
  /** Default: `work`. */
  readonly group?: SectionGroup;
  /**
   * Returns the data, or undefined if the record has none. The data is copied as JSON, bounded, and its secrets are
   * removed. Called when the record is closed, and whenever someone views the record while the request is in flight;
   * therefore it must not change any state.
   *
   * @param recording - The record so far; `recording.request.scope` has what the application keeps for the request.
   * @param end - How the request ended; undefined while it is in flight.
   */
  collect?(recording: Recording, end?: RequestEnd): Data | undefined;
  /** Numbers by name, which lists show and queries find as `id.name`. */
  readonly numbers?: Readonly<Record<string, SectionNumber<Data>>>;
  /** Returns the time that the data accounts for: bars of the timeline, and shares of the breakdown. */
  timeline?(data: Data): readonly TimelineEntry[];
  /** Returns what is worth a sentence at the top of the record. */
  findings?(data: Data): readonly SectionFinding[];
  /** Without one, the data is shown as JSON under “Other data”. */
  readonly panel?: SectionPanel<Data>;
}

/** A finding of an application's own section. */
export interface SectionFinding {
  /** Default: `warn`. */
  readonly level?: 'error' | 'warn' | 'info';
  /** One sentence of plain text, without a full stop. */
  readonly text: string;
  /** The `id` of a row of the section's panel. */
  readonly anchor?: string;
}

/** A number of a section. */
export interface SectionNumber<Data = unknown> {
  readonly kind: 'count' | 'ms';
  /** Label shown in lists if the number is above 0 and deserves attention: `N+1`. `has:` finds it by the label without spaces. */
  readonly finding?: string;
  /** Computes the number from the data. */
  of(data: Data): number;
}

/** The panel of a section. `show` returns blocks, which become HTML or Markdown. */
export interface SectionPanel<Data = unknown> extends Omit<
  Panel,
  'id' | 'title' | 'section' | 'badge' | 'show'
> {
  /** Returns the badge of the menu; undefined for none. Default: none. */
  badge?(data: Data, record: Parameters<Panel['badge']>[0]): ReturnType<Panel['badge']>;
  show(data: Data, ...rest: Parameters<Panel['show']>): ReturnType<Panel['show']>;
  /** Sentence shown if the record has no such data. */
  readonly empty?: string;
}

/** How a request ended. */
export interface RequestEnd {
  /** Name of the route; null if none matched. */
  readonly route: string | null;
  readonly durationMs: number;
  /** Bytes of the response body that were sent. */
  readonly bytes: number;
  /** Returns a number of the sections collected before this one, by its column (`db.queries`); 0 if none provided it. */
  number(column: string): number;
}

/** Upper limits for a request. Numbers of sections are named by their column: `'http.calls': 3`. */
export interface Budget {
  readonly durationMs?: number;
  /** Bytes of the response body that were sent. */
  readonly bytes?: number;
  readonly queries?: number;
  readonly [column: `${string}.${string}`]: number;
}

/** Budgets by route name, `blog_*` or `*`. For each limit, the longest matching pattern that declares it wins. */
export type Budgets = Readonly<Record<string, Budget>>;

/** A built-in section as the writer's thread needs it. All but `numbers`, which budgets use, runs there. */
export interface SectionDefinition extends Pick<Section, 'id' | 'numbers' | 'timeline'> {
  readonly steps?: SectionSteps;
  /** Removes the secrets of the data. Absent if the data has none. */
  readonly clean?: (data: unknown, redactor: Redactor) => unknown;
  /** Makes the section of the clean data. `startedAt` of the request, in milliseconds since the epoch. */
  readonly complete?: (data: unknown, startedAt: number) => unknown;
}

/** How sentences and the timeline name the steps that a section accounts for. */
export interface SectionSteps {
  /** Field of the data with a row for each step, in which `callSite` is where the application made it. */
  readonly rows: string;
  /** One step: `1 query`. */
  one(name: string): string;
  /** All of them together, at the beginning of a sentence: `The database`. */
  readonly all: string;
  /** Several neighbouring ones: `{n} queries combined`. */
  readonly combined: string;
  /** Returns the part of a name that steps of one loop share. Default: the whole name. */
  shapeOf?(name: string): string;
}

/** A built-in section as the main thread needs it. Its data is completed by the writer, according to the definition. */
export interface CollectedSection {
  readonly definition: SectionDefinition;
  collect(recording: Recording, end?: RequestEnd): unknown;
  /** Ends its subscriptions. */
  close?(): void;
}

/** Returns what declares the id and the numbers of a section. */
export function declarationOf(section: CollectedSection | Section): Pick<Section, 'id' | 'numbers'> {
  return 'definition' in section ? section.definition : section;
}

/** A number of a section that can be listed and searched. */
export interface CollectedField extends Omit<SectionNumber, 'of'> {
  /** `db.queries`. */
  readonly column: string;
}

export function collectedName(section: string, name: string): string {
  return `${section}.${name}`;
}

/** Returns the numbers that sections declare, named `id.name`. */
export function collectedFields(
  sections: readonly Pick<Section, 'id' | 'numbers'>[],
): readonly CollectedField[] {
  return sections.flatMap(({ id, numbers = {} }) =>
    Object.entries(numbers).map(([name, { kind, finding }]) => ({
      column: collectedName(id, name),
      kind,
      ...(finding === undefined ? {} : { finding }),
    })),
  );
}

/** Returns the numbers of a section by column. One counts as 0 if its function throws, or if it is negative or not finite. */
export function numbersOf(
  { id, numbers = {} }: Pick<Section, 'id' | 'numbers'>,
  data: unknown,
  failed: (error: unknown) => void,
): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, field] of Object.entries(numbers)) {
    let number = 0;
    try {
      number = Number(field.of(data)); // a bigint would fail as JSON, with all records beside it
    } catch (error) {
      failed(error);
    }
    found[collectedName(id, name)] = number > 0 && number < Infinity ? number : 0;
  }
  return found;
}
