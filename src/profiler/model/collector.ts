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
   * changes nothing. Gives plain data; undefined keeps nothing.
   */
  collect(recording: Recording): unknown;
}
