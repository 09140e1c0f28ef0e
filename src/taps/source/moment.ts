import { noteCallSites } from '#errors';
import { currentRecording } from '#profiler';
import { createScopeKey, currentScope, isReportedAbove, runInScope, Scope, type ScopeKey } from '#scope';

type CallSite = () => readonly unknown[];

/** Where something was asked whose driver goes on from a callback, on another stack. */
const askedFrom: ScopeKey<CallSite> = createScopeKey<CallSite>('asked from');

/** When and where something began that a record will show. */
export interface Moment {
  readonly scope: Scope;
  /** Of `performance.now`. */
  readonly startedAt: number;
  /** The application's calls that led here, innermost first. */
  readonly callSite: CallSite;
}

/**
 * The moment at which something begins, where a request is recorded and no caller reports it already; else undefined: there is
 * nothing to do.
 */
export function takeMoment(): Moment | undefined {
  const scope = currentScope();
  if (scope === undefined || currentRecording() === undefined || isReportedAbove()) return undefined;
  return { scope, startedAt: performance.now(), callSite: placeIn(scope) };
}

/** Where the application is; on a stack without it, where it was when it began what led here. */
function placeIn(scope: Scope): CallSite {
  const own = notePlace();
  const before = scope.get(askedFrom);
  return before === undefined ? own : () => (own().length > 0 ? own() : before());
}

/** Runs a library's work that goes on without a frame of the application's: what begins in it began here. */
export function runFromHere<Result>(work: () => Result): Result {
  const scope = currentScope();
  if (scope === undefined || currentRecording() === undefined || isReportedAbove()) return work();
  return runInScope(scopeFrom(scope, placeIn(scope)), work);
}

/** Notes where the application is; the frames are read on first use. */
export function notePlace(): CallSite {
  return noteCallSites(notePlace, { depth: 80, limit: 12 });
}

/** A scope for what is called back: what begins in it without a frame of the application's began here. */
export function scopeFrom(scope: Scope, place: CallSite): Scope {
  const inner = new Scope(scope);
  inner.set(askedFrom, place);
  return inner;
}

/** Runs work as part of the request that something began for, wherever its end is observed. Nothing of it reaches the application. */
export function runAtMoment({ scope }: Moment, work: () => void): void {
  try {
    runInScope(scope, work);
  } catch {
    // What cannot be reported is not kept.
  }
}
