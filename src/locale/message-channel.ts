import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';

/** That a message was looked up, as published on `lookback:locale:message` when somebody listens. */
export interface MessageUse {
  readonly key: string;
  /** The locale that was asked for. */
  readonly locale: string;
  /** The locale whose text was used; undefined for a missing message. */
  readonly used: string | undefined;
  /** What was shown: the message with its values, or the key where it is missing. */
  readonly text: string;
  readonly state: 'defined' | 'fallback' | 'missing';
}

/** Publishes a `MessageUse` for each look-up; costs nothing without subscribers. */
export const messageChannel: Channel = channel('lookback:locale:message');
