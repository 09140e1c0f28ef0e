import { type Channel, channel } from 'node:diagnostics_channel';

/** A message lookup, as published on `lookback:locale:message`. */
export interface MessageUse {
  readonly key: string;
  /** The requested locale. */
  readonly locale: string;
  /** The locale whose text was used; undefined for a missing message. */
  readonly used: string | undefined;
  /** The result: the message with its values, or the key if it is missing. */
  readonly text: string;
  readonly state: 'defined' | 'fallback' | 'missing';
}

/** Publishes a `MessageUse` for each lookup while there are subscribers. */
export const messageChannel: Channel = channel('lookback:locale:message');
