import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Redactor } from '#core/dump';
import { createScopeKey } from '#core/scope';
import type { Recording } from '../model/recording.js';
import type { CollectedSection, SectionDefinition } from './section.js';
import type { LateFacts } from '../encoding/amendments.js';
import { RequestRecording } from '../recording/request-recording.js';
import { currentRecording } from '../recording/current-recording.js';
import type { ChannelMessage } from './message-reader.js';

export interface ChannelCollectorOptions<Facts> {
  readonly definition: SectionDefinition;
  readonly begin: () => Facts;
  /** Functions by channel that add a message to the facts. If one throws, only that message is lost. */
  readonly channels: Readonly<
    Record<string, (facts: Facts, message: ChannelMessage, recording: Recording) => void>
  >;
  /** Describes a message published after the record was closed; undefined to ignore it. */
  readonly late?: (message: ChannelMessage, redactor: Redactor, channel: string) => LateFacts | undefined;
  /**
   * Returns the section as plain JSON data, or undefined for none. `facts` is undefined if no message was published.
   */
  readonly section: (facts: Facts | undefined, recording: Recording) => unknown;
}

/** Collects diagnostics channel messages. Subscribes once per process; a message's scope determines its request. */
export function createChannelCollector<Facts>(options: ChannelCollectorOptions<Facts>): CollectedSection {
  const { definition } = options;
  const gathered = createScopeKey<{ readonly facts: Facts }>(`facts of ${definition.id}`);
  const factsOf = ({ request: { scope } }: Recording): Facts => {
    let present = scope.getOwn(gathered);
    if (present === undefined) scope.set(gathered, (present = { facts: options.begin() }));
    return present.facts;
  };
  const listeners = Object.entries(options.channels).map(([channel, add]) => {
    const listener = (message: unknown): void => {
      try {
        const recording = currentRecording();
        if (recording === undefined || typeof message !== 'object' || message === null) return;
        const fields = message as ChannelMessage; // read by name, and every field is checked
        if (!recording.isClosed) add(factsOf(recording), fields, recording);
        else if (recording instanceof RequestRecording)
          recording.lateWork((redactor) => options.late?.(fields, redactor, channel), collector);
      } catch {
        // An exception in a subscriber would end the process, so an unreadable message is discarded.
      }
    };
    return [channel, listener] as const;
  });
  for (const [channel, listener] of listeners) subscribe(channel, listener);
  const collector: CollectedSection = {
    definition,
    collect: (recording) => options.section(recording.request.scope.getOwn(gathered)?.facts, recording),
    close() {
      for (const [channel, listener] of listeners) unsubscribe(channel, listener);
    },
  };
  return collector;
}

/** A request's first messages, and the number of further ones. */
export interface KeptMessages {
  readonly messages: ChannelMessage[];
  more: number;
}

/**
 * Keeps a message, or counts it. Fields are read when the request ends, because the publisher may still complete them.
 */
export function keepMessage(kept: KeptMessages, message: ChannelMessage, maxMessages: number): void {
  if (kept.messages.length < maxMessages) kept.messages.push(message);
  else kept.more++;
}

export function createCallCollector<Section>({
  channel,
  maxCalls,
  section,
  ...options
}: Pick<ChannelCollectorOptions<KeptMessages>, 'definition' | 'late'> & {
  readonly channel: string;
  readonly maxCalls: number;
  readonly section: (kept: KeptMessages, startedAt: number) => Section;
}): CollectedSection {
  return createChannelCollector<KeptMessages>({
    ...options,
    begin: () => ({ messages: [], more: 0 }),
    channels: { [channel]: (kept, message) => keepMessage(kept, message, maxCalls) },
    section: (kept, { startedAt }) => kept && section(kept, startedAt),
  });
}
