import type { Context } from '../site.js';

/** A page that goes wrong in one way. */
export interface Failure {
  /** Last part of its path and of its route's name. */
  readonly name: string;
  readonly title: string;
  /** What to look at in the answer or the record. */
  readonly look: string;
  readonly methods?: readonly string[];
  readonly run: (context: Context) => unknown;
}
