import { channel } from 'node:diagnostics_channel';

/** Published on `lookback:security:session`, as often as the application reads or writes a session value. */
export interface SessionUse {
  readonly operation: 'read' | 'write';
  readonly key: string;
  /** The last three calls that led here, innermost first, as V8 prints them. */
  readonly stack: string;
}

/** Name of the channel of `SessionUse`. */
export const sessionChannel = 'lookback:security:session';

const uses = channel(sessionChannel);

/** Costs nothing without a subscriber: a stack is taken only for one. */
export function publishSessionUse(operation: 'read' | 'write', key: string): void {
  // Keys with an underscore in front are security's own; their use says nothing about the application.
  if (!uses.hasSubscribers || key.startsWith('_security')) return;
  const use: SessionUse = { operation, key, stack: callersOf(publishSessionUse) };
  uses.publish(use);
}

/** Frames that are reported, after the session's own method: each costs as much as all the rest. */
const maxFramesRead = 3;

function callersOf(inner: typeof publishSessionUse): string {
  const { stackTraceLimit } = Error;
  const holder: { stack?: unknown } = {};
  // Not assigned: where intrinsics are frozen that would throw.
  Reflect.set(Error, 'stackTraceLimit', maxFramesRead + 1);
  Error.captureStackTrace(holder, inner);
  const { stack } = holder; // printed when first read
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  // An application's own way of printing may give anything.
  return typeof stack === 'string' ? stack.split('\n').slice(2).join('\n') : '';
}
