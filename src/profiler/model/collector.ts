import type { Recording } from './recording.js';
import type { SectionPart } from './section-part.js';

/** Port: keeps something more about each request, under its own name in `sections`. */
export interface Collector {
  /** Key in `sections`: `db`, `security` … */
  readonly name: string;
  /** How its data is written, found and completed. Without it: as any plain data, copied and looked through for secrets. */
  readonly part?: SectionPart;
  /**
   * Called when the record is closed, and before that each time the record is opened while the request is in flight: it
   * changes nothing. Returns plain data; undefined keeps nothing. `end` is set once the request is over.
   */
  collect(recording: Recording, end?: RequestEnd): unknown;
}

/** The end of a request. */
export interface RequestEnd {
  /** Name of its route; null where none matched. */
  readonly route: string | null;
  readonly durationMs: number;
  /** Of the response's body, as it was sent. */
  readonly bytes: number;
  /** A number of the collectors called before, by its column (`db.queries`); 0 if none provided it. */
  number(column: string): number;
}
/** Upper limits for a request. A number of a collector is named by its column: `'http.calls': 3`. */
export interface Budget {
  readonly durationMs?: number;
  /** Of the response's body, as it was sent. */
  readonly bytes?: number;
  readonly queries?: number;
  readonly [column: `${string}.${string}`]: number;
}

/** Budgets by the name of a route; `blog_*` is for all names that begin so, `*` for all requests. The longest that fits counts, number by number. */
export type Budgets = Readonly<Record<string, Budget>>;
