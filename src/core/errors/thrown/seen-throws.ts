import { createScopeKey, currentScope, type Scope, type ScopeKey } from '#core/scope';
import type { CodePosition } from '../source/capture-call-sites.js';

/** An error that the application's code threw during a request and that was going to be caught. */
export interface SeenThrow extends CodePosition {
  readonly error: object;
  /** On the `performance.now` clock. */
  readonly at: number;
  /** Name of the function that threw it; empty if it has none. */
  readonly name: string;
}

/** Throws during a request; `more` counts those beyond the limit. */
interface SeenThrows {
  readonly throws: SeenThrow[];
  more: number;
}

const maxThrows = 10;
const seenThrows: ScopeKey<SeenThrows> = createScopeKey<SeenThrows>('seen throws');

/** Notes a throw for the current request; does nothing outside of one. */
export function noteThrow(seen: SeenThrow): void {
  const scope = currentScope();
  if (scope === undefined) return;
  let present = scope.getOwn(seenThrows);
  if (present === undefined) scope.set(seenThrows, (present = { throws: [], more: 0 }));
  if (present.throws.length < maxThrows) present.throws.push(seen);
  else present.more++;
}

/**
 * Returns the errors that were thrown in a request while local variables were watched. Not every throw is seen: the
 * watch skips functions that throw often, and rests after many throws.
 */
export function throwsIn(scope: Scope): Readonly<SeenThrows> | undefined {
  return scope.getOwn(seenThrows);
}
