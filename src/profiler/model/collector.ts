import type { Recording } from './recording.js';

/** Port: keeps something more about each request, under its own name in `sections`. */
export interface Collector {
  /** Key in `sections`: `db`, `security` … */
  readonly name: string;
  /** Called when the record is closed. Gives plain data, copied at once; undefined keeps nothing. */
  collect(recording: Recording): unknown;
}
