import type { Redactor } from '#core/dump';
import type { TimelineEntry } from '../model/profile-record.js';
import type { Recording } from '../model/recording.js';
import type { Panel, SectionGroup } from './panel.js';
import { refusePromise } from './refuse-promise.js';

/**
 * One thing that a record holds, such as its queries or an application's feature flags: how it is collected, which
 * numbers appear in lists, which time it accounts for, its findings and its panel. Only `id` is required.
 *
 * If a function of a section throws, the request is not affected: the record lacks what the function would have
 * returned.
 */
export interface Section<Data = unknown> {
  /** The data's key in the record's `sections`, and the value for `?panel=`: lowercase letters, digits and hyphens. */
  readonly id: string;
  /** Panel title. Default: the id. */
  readonly title?: string;
  /** Default: `work`. */
  readonly group?: SectionGroup;
  /**
   * Returns the data, or undefined if the record has none. The data is copied as JSON, bounded, and redacted. Called
   * when the record is closed, and each time someone views the record while the request is in flight, so it must not
   * change any state.
   *
   * @param recording - The record so far; `recording.request.scope` holds the application's request state.
   * @param end - How the request ended; undefined while it is in flight.
   */
  collect?(recording: Recording, end?: RequestEnd): Data | undefined;
  /** Numbers by name, shown in lists and searchable as `id.name`. */
  readonly numbers?: Readonly<Record<string, SectionNumber<Data>>>;
  /** Returns the time that the data accounts for: timeline bars and shares in the breakdown. */
  timeline?(data: Data): readonly TimelineEntry[];
  /** Returns facts that deserve a sentence at the top of the record. */
  findings?(data: Data): readonly SectionFinding[];
  /** If absent, the data is shown as JSON under “Other data”. */
  readonly panel?: SectionPanel<Data>;
}

/** A custom section's finding. */
export interface SectionFinding {
  /** Default: `warn`. */
  readonly level?: 'error' | 'warn' | 'info';
  /** One plain-text sentence without a full stop. */
  readonly text: string;
  /** A row's `id` in the section's panel. */
  readonly anchor?: string;
}

/** A number of a section. */
export interface SectionNumber<Data = unknown> {
  readonly kind: 'count' | 'ms';
  /**
   * Label shown in lists if the number is above 0 and deserves attention: `N+1`. `has:` finds it by the label without
   * spaces.
   */
  readonly finding?: string;
  /** Computes the number from the data. */
  of(data: Data): number;
}

/** A section's panel. `show` returns blocks, which become HTML or Markdown. */
export interface SectionPanel<Data = unknown> extends Omit<
  Panel,
  'id' | 'title' | 'section' | 'badge' | 'show'
> {
  /** Returns the menu badge; undefined for none. Default: none. */
  badge?(data: Data, record: Parameters<Panel['badge']>[0]): ReturnType<Panel['badge']>;
  show(data: Data, ...rest: Parameters<Panel['show']>): ReturnType<Panel['show']>;
  /** Sentence shown if the record has no such data. */
  readonly empty?: string;
}

/** How a request ended. */
export interface RequestEnd {
  /** Route name; null if no route matched. */
  readonly route: string | null;
  readonly durationMs: number;
  /** Response body bytes sent. */
  readonly bytes: number;
  /** Returns a number from a section collected earlier, by its column (`db.queries`); 0 if none provided it. */
  number(column: string): number;
}

/** Upper limits for a request. Section numbers are named by column: `'http.calls': 3`. */
export interface Budget {
  readonly durationMs?: number;
  /** Response body bytes sent. */
  readonly bytes?: number;
  readonly queries?: number;
  readonly [column: `${string}.${string}`]: number;
}

/** Budgets by route name, `blog_*` or `*`. For each limit, the longest matching pattern that sets it wins. */
export type Budgets = Readonly<Record<string, Budget>>;

/** A built-in section's writer-thread side. Everything runs there except `numbers`, which budgets also use. */
export interface SectionDefinition extends Pick<Section, 'id' | 'numbers' | 'timeline'> {
  readonly steps?: SectionSteps;
  /** Redacts the data. Absent if the data contains no secrets. */
  readonly clean?: (data: unknown, redactor: Redactor) => unknown;
  /** Builds the section from the clean data. `startedAt` is when the request began, in milliseconds since the epoch. */
  readonly complete?: (data: unknown, startedAt: number) => unknown;
}

/** How sentences and the timeline name the steps that a section accounts for. */
export interface SectionSteps {
  /** The data field that has a row per step, with the application's call in `callSite`. */
  readonly rows: string;
  /** One step: `1 query`. */
  one(name: string): string;
  /** All steps together, at the beginning of a sentence: `The database`. */
  readonly all: string;
  /** Several adjacent steps: `{n} queries combined`. */
  readonly combined: string;
  /** Returns the part of a name shared by a loop's steps. Default: the whole name. */
  shapeOf?(name: string): string;
}

/** A built-in section's main-thread side. The writer completes its data according to the definition. */
export interface CollectedSection {
  readonly definition: SectionDefinition;
  collect(recording: Recording, end?: RequestEnd): unknown;
  /** Ends its subscriptions. */
  close?(): void;
}

/** Returns a section's declared id and numbers. */
export function declarationOf(section: CollectedSection | Section): Pick<Section, 'id' | 'numbers'> {
  return 'definition' in section ? section.definition : section;
}

/** A section number that can be listed and searched. */
export interface CollectedField extends Omit<SectionNumber, 'of'> {
  /** `db.queries`. */
  readonly column: string;
}

export function collectedName(section: string, name: string): string {
  return `${section}.${name}`;
}

/** Returns the numbers declared by sections, named `id.name`. */
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

/**
 * Returns the numbers of a section by column. A number is 0 if its function throws or returns a negative or non-finite
 * value.
 */
export function numbersOf(
  { id, numbers = {} }: Pick<Section, 'id' | 'numbers'>,
  data: unknown,
  failed: (error: unknown) => void,
): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, field] of Object.entries(numbers)) {
    let number = 0;
    try {
      number = Number(refusePromise(field.of(data))); // a bigint cannot become JSON and would fail the whole batch
    } catch (error) {
      failed(error);
    }
    found[collectedName(id, name)] = number > 0 && number < Infinity ? number : 0;
  }
  return found;
}
