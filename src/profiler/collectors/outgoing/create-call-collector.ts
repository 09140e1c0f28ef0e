import type { SectionPart } from '../../model/section-part.js';
import {
  type ChannelMessage,
  createChannelCollector,
  type ListeningCollector,
} from '../create-channel-collector.js';

/** Messages of one request, the first of them, and how many more there were. */
export interface KeptMessages {
  readonly messages: ChannelMessage[];
  more: number;
}

/** Keeps a message, up to so many. What it says is read when the record closes: it may go on until then. */
export function keepMessage(kept: KeptMessages, message: ChannelMessage, most: number): void {
  if (kept.messages.length < most) kept.messages.push(message);
  else kept.more++;
}

/** A collector of calls that are published on one channel, a message for each. */
export function createCallCollector<Section>(options: {
  readonly name: string;
  readonly part: SectionPart;
  readonly channel: string;
  /** Calls of one request. */
  readonly most: number;
  readonly section: (kept: KeptMessages, startedAt: number) => Section;
}): ListeningCollector {
  const { name, part, channel, most, section } = options;
  return createChannelCollector<KeptMessages>({
    name,
    part,
    begin: () => ({ messages: [], more: 0 }),
    channels: { [channel]: (kept, message) => keepMessage(kept, message, most) },
    section: (kept, { startedAt }) => (kept === undefined ? undefined : section(kept, startedAt)),
  });
}
