import { channel } from 'node:diagnostics_channel';

/** Published on `lookback:security:session` whenever the application reads or writes a session value. */
export interface SessionUse {
  readonly operation: 'read' | 'write';
  readonly key: string;
  /** The three innermost calling frames, innermost first, in V8's format. */
  readonly stack: string;
}

/** Name of the channel of `SessionUse`. */
export const sessionChannel = 'lookback:security:session';

const uses = channel(sessionChannel);

/** Publishes a session access. The stack is only captured if there is a subscriber. */
export function publishSessionUse(operation: 'read' | 'write', key: string): void {
  // These keys are used by security itself, not by the application.
  if (!uses.hasSubscribers || key.startsWith('_security')) return;
  const use: SessionUse = { operation, key, stack: callersOf(publishSessionUse) };
  uses.publish(use);
}

/**
 * Number of frames captured in addition to the session's own method. Each frame costs as much as everything else here.
 */
const maxFramesRead = 3;

function callersOf(inner: typeof publishSessionUse): string {
  const { stackTraceLimit } = Error;
  const holder: { stack?: unknown } = {};
  // `Reflect.set` instead of an assignment, which would throw if intrinsics are frozen.
  Reflect.set(Error, 'stackTraceLimit', maxFramesRead + 1);
  Error.captureStackTrace(holder, inner);
  const { stack } = holder; // formatted on first access, so that it must be read before the limit is reset
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  // A custom `Error.prepareStackTrace` of the application may return any value.
  return typeof stack === 'string' ? stack.split('\n').slice(2).join('\n') : '';
}
