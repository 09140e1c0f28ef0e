import type { Recording } from './recording.js';
import type { SectionPart } from './section-part.js';

/** Port: keeps something more about each request, under its own name in `sections`. */
export interface Collector {
  /** Key in `sections`: `db`, `security` … */
  readonly name: string;
  /** How its data is written, found and completed. Without it: as any plain data, copied and looked through for secrets. */
  readonly part?: SectionPart;
  /**
   * Called when the record is closed, and before that each time somebody opens it while the request is under way: it
   * changes nothing. Gives plain data; undefined keeps nothing. `end` is there where the request is over.
   */
  collect(recording: Recording, end?: RequestEnd): unknown;
}

/** What a request came to. */
export interface RequestEnd {
  /** Name of its route; null where none matched. */
  readonly route: string | null;
  readonly durationMs: number;
  /** Of the response's body, as it was sent. */
  readonly bytes: number;
  /** A number of the collectors that were asked before, by its column (`db.queries`); 0 where none gave it. */
  number(column: string): number;
}
/** What a request may need at most. A number of a collector goes by its column: `'http.calls': 3`. */
export interface Budget {
  readonly durationMs?: number;
  /** Of the response's body, as it was sent. */
  readonly bytes?: number;
  readonly queries?: number;
  readonly [column: `${string}.${string}`]: number;
}

/** Budgets by the name of a route; `blog_*` is for all names that begin so, `*` for all requests. The longest that fits counts, number by number. */
export type Budgets = Readonly<Record<string, Budget>>;
