import type { TextKey } from '../languages.js';
import type { Context } from '../pages/page.js';

/** Every failure that has a title and a line about what to look at in the answer or the record. */
export type FailureName =
  Extract<TextKey, `failure_${string}_look`> extends `failure_${infer Name}_look` ? Name : never;

/** A page that goes wrong in one way. */
export interface Failure {
  /** Last part of its path and of its route's name; its title and what to look at are texts of that name. */
  readonly name: FailureName;
  readonly methods?: readonly string[];
  readonly run: (context: Context) => unknown;
}
