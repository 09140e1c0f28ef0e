import { channel } from 'node:diagnostics_channel';

/** Published on `lookback:security:session`, as often as the application reads or writes a session value. */
export interface SessionUse {
  readonly operation: 'read' | 'write';
  readonly key: string;
  /** The frames of the caller, innermost first, as V8 prints them. */
  readonly stack: string;
}

/** Name of the channel of `SessionUse`. */
export const sessionChannel = 'lookback:security:session';

const uses = channel(sessionChannel);

/** Costs nothing while nobody listens: a stack is taken only for a subscriber. */
export function publishSessionUse(operation: 'read' | 'write', key: string): void {
  // Keys with an underscore in front are security's own; their use says nothing about the application.
  if (!uses.hasSubscribers || key.startsWith('_security')) return;
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, publishSessionUse);
  const use: SessionUse = { operation, key, stack: (holder.stack ?? '').split('\n').slice(2).join('\n') };
  uses.publish(use);
}
