import type { SectionPart } from '../../model/section-part.js';
import {
  type ChannelMessage,
  createChannelCollector,
  type LateFacts,
  type ListeningCollector,
} from '../create-channel-collector.js';

/** The first messages of a request, and the number of further ones. */
export interface KeptMessages {
  readonly messages: ChannelMessage[];
  more: number;
}

/**
 * Keeps a message, or counts it if there are already `maxMessages`. Its fields are read when the record is closed, because
 * the publisher may complete the message until then.
 */
export function keepMessage(kept: KeptMessages, message: ChannelMessage, maxMessages: number): void {
  if (kept.messages.length < maxMessages) kept.messages.push(message);
  else kept.more++;
}

/** Creates a collector of calls that are published on one channel, with one message per call. */
export function createCallCollector<Section>(options: {
  readonly name: string;
  readonly part: SectionPart;
  readonly channel: string;
  /** Maximum number of calls of one request. */
  readonly maxCalls: number;
  readonly late?: (message: ChannelMessage) => LateFacts | undefined;
  readonly section: (kept: KeptMessages, startedAt: number) => Section;
}): ListeningCollector {
  const { name, part, channel, maxCalls, late, section } = options;
  return createChannelCollector<KeptMessages>({
    name,
    part,
    begin: () => ({ messages: [], more: 0 }),
    channels: { [channel]: (kept, message) => keepMessage(kept, message, maxCalls) },
    ...(late === undefined ? {} : { late }),
    section: (kept, { startedAt }) => (kept === undefined ? undefined : section(kept, startedAt)),
  });
}
