import type { TextKey } from '../languages.js';
import type { Context } from '../pages/page.js';

/** Every failure with a title and a hint on what to look at in the response or the record. */
export type FailureName =
  Extract<TextKey, `failure_${string}_look`> extends `failure_${infer Name}_look` ? Name : never;

/** A page that demonstrates one kind of failure. */
export interface Failure {
  /** Last segment of its path and of its route name; its title and hint are texts with that name. */
  readonly name: FailureName;
  readonly methods?: readonly string[];
  readonly run: (context: Context) => unknown;
}
