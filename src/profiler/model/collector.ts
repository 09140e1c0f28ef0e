import type { Recording } from './recording.js';
import type { SectionPart } from './section-part.js';

/** Port: adds a section with further data to each record. */
export interface Collector {
  /** Key of its section in `sections`: `db`, `security` … */
  readonly name: string;
  /** How the section is serialised, searched and completed. Without it: copied as plain data, scanned for secrets. */
  readonly part?: SectionPart;
  /**
   * Called when the record is closed, and whenever someone views the record while the request is still in flight;
   * therefore it must not change any state. Returns plain data, or undefined to add no section. `end` is set once the
   * request is over.
   */
  collect(recording: Recording, end?: RequestEnd): unknown;
}

/** How a request ended. */
export interface RequestEnd {
  /** Name of the route; null if none matched. */
  readonly route: string | null;
  readonly durationMs: number;
  /** Bytes of the response body that were sent. */
  readonly bytes: number;
  /** Returns a number of the collectors called before this one, by its column (`db.queries`); 0 if none provided it. */
  number(column: string): number;
}

/** Upper limits for a request. Numbers of collectors are named by their column: `'http.calls': 3`. */
export interface Budget {
  readonly durationMs?: number;
  /** Bytes of the response body that were sent. */
  readonly bytes?: number;
  readonly queries?: number;
  readonly [column: `${string}.${string}`]: number;
}

/** Budgets by route name, `blog_*` or `*`. For each limit, the longest matching pattern that declares it wins. */
export type Budgets = Readonly<Record<string, Budget>>;
