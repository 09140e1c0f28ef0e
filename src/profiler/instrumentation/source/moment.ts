import type { Channel } from 'node:diagnostics_channel';
import { CallSiteMemory, captureCallSites } from '#core/errors';
import { requestRoute } from '#core/http';
import { followResult } from '#core/patches';
import { currentRecording } from '#profiler';
import {
  createScopeKey,
  currentScope,
  isReportedAbove,
  reportAsOne,
  runInScope,
  Scope,
  type ScopeKey,
} from '#core/scope';

type CallSite = () => readonly unknown[];

/** The application's call site for an operation whose driver continues from a callback, on another stack. */
const callOrigin: ScopeKey<CallSite> = createScopeKey<CallSite>('call origin');

/** The time, scope and call site at which a recorded operation started. */
export interface Moment {
  readonly scope: Scope;
  readonly startedAt: number;
  /** The application's frames that led here, innermost first. */
  readonly callSite: CallSite;
  /** True if the frames were captured earlier, for the same statement. */
  readonly isRemembered: boolean;
}

/**
 * Captures the moment at which an operation begins. Returns undefined if there is nothing to record: outside recorded
 * requests, and inside an operation that a caller already reports. `textOf` returns a statement, whose call site is
 * captured only from time to time (`CallSiteMemory`).
 */
export function takeMoment(textOf?: () => string): Moment | undefined {
  const scope = currentScope();
  if (scope === undefined || currentRecording() === undefined || isReportedAbove()) return undefined;
  if (textOf === undefined)
    return { scope, startedAt: performance.now(), callSite: locationIn(scope), isRemembered: false };
  const { sites, isRemembered } = memory.take(routeOf(scope), textOf(), () => locationIn(scope)());
  return { scope, startedAt: performance.now(), callSite: () => sites, isRemembered };
}

/** The application's statement call sites; process-wide. */
const memory = new CallSiteMemory<unknown>();

/** Captures a failed or slow statement's call site again next time. */
export function doubtLocation({ scope }: Moment, text: string): void {
  memory.doubt(routeOf(scope), text);
}

function routeOf(scope: Scope): string {
  return scope.get(requestRoute)?.name ?? '';
}

/** Returns the application's current call site; if the stack has none, that of the operation that led here. */
function locationIn(scope: Scope): CallSite {
  const own = noteLocation();
  const before = scope.get(callOrigin);
  return before === undefined ? own : () => (own().length > 0 ? own() : before());
}

/**
 * Runs library work that continues on stacks without application frames; operations in it get the current call site.
 * `prepare` may extend their scope.
 */
export function runFromHere<Result>(work: () => Result, prepare?: (scope: Scope) => void): Result {
  const scope = currentScope();
  if (scope === undefined || currentRecording() === undefined || isReportedAbove()) return work();
  const inner = scopeFrom(scope, locationIn(scope));
  prepare?.(inner);
  return runInScope(inner, work);
}

/** Captures the application's call site; the frames are read on first use. */
export function noteLocation(): CallSite {
  return captureCallSites(noteLocation, { depth: 80, limit: 12 });
}

/** Creates a scope for callbacks, in which operations without an application frame get the given call site. */
export function scopeFrom(scope: Scope, location: CallSite): Scope {
  const inner = new Scope(scope);
  inner.set(callOrigin, location);
  return inner;
}

/** Runs work in the scope in which an operation began. Ignores errors, so that they never reach the application. */
export function runAtMoment({ scope }: Moment, work: () => void): void {
  try {
    runInScope(scope, work);
  } catch {
    // the operation is not recorded
  }
}

/** Publishes one or several operations in the scope in which they began, with times and call site. */
export function publishAt(moment: Moment, channel: Channel, read: () => object | readonly object[]): void {
  runAtMoment(moment, () => {
    const { startedAt } = moment;
    const times = { startedAt, durationMs: performance.now() - startedAt, callSite: moment.callSite() };
    for (const about of [read()].flat()) channel.publish({ ...about, ...times });
  });
}

type End = { readonly result?: unknown; readonly error?: unknown };

/** Runs an operation, within which nothing else is reported, and publishes it when it or its promise has ended. */
export function followOperation(
  channel: Channel,
  work: () => unknown,
  describe: (end: End) => object | readonly object[],
): unknown {
  const moment = channel.hasSubscribers ? takeMoment() : undefined;
  if (moment === undefined) return work();
  return followResult(() => reportAsOne(work), {
    done: (result) => publishAt(moment, channel, () => describe({ result })),
    failed: (error) => publishAt(moment, channel, () => describe({ error })),
  });
}
