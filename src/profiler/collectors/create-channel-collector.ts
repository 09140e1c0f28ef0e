import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createScopeKey } from '#scope';
import type { Collector } from '../model/collector.js';
import type { Recording } from '../model/recording.js';
import type { SectionPart } from '../model/section-part.js';
import { currentRecording } from '../taps/current-recording.js';

/** A message of a channel, of which nothing is known: anyone may publish. */
export type ChannelMessage = Readonly<Record<string, unknown>>;

export interface ChannelCollectorOptions<Facts> {
  readonly name: string;
  readonly part: SectionPart;
  /** What a request's facts begin as. */
  readonly begin: () => Facts;
  /** By channel, how a message is added; what it throws is that message's loss only. */
  readonly channels: Readonly<
    Record<string, (facts: Facts, message: ChannelMessage, recording: Recording) => void>
  >;
  /** The section, as plain JSON data; undefined for none. `facts` are there where a message came. */
  readonly section: (facts: Facts | undefined, recording: Recording) => unknown;
}

/** A collector that listens. */
export interface ListeningCollector extends Collector {
  /** Listens no longer. */
  close(): void;
}

/**
 * Keeps what is published on diagnostics channels while a request runs, under `name`. Listens once for the whole process;
 * which request a message belongs to is known by the scope that it is published in.
 */
export function createChannelCollector<Facts>(options: ChannelCollectorOptions<Facts>): ListeningCollector {
  const gathered = createScopeKey<{ readonly facts: Facts }>(`facts of ${options.name}`);
  const factsOf = ({ request: { scope } }: Recording): Facts => {
    let present = scope.getOwn(gathered);
    if (present === undefined) scope.set(gathered, (present = { facts: options.begin() }));
    return present.facts;
  };
  const listeners = Object.entries(options.channels).map(([channel, add]) => {
    const listener = (message: unknown): void => {
      try {
        const recording = currentRecording();
        if (recording === undefined || recording.isClosed || typeof message !== 'object' || message === null)
          return;
        add(factsOf(recording), message as ChannelMessage, recording); // read by name, each field checked
      } catch {
        // Thrown here it would end the process. A message that cannot be read is not kept.
      }
    };
    return [channel, listener] as const;
  });
  for (const [channel, listener] of listeners) subscribe(channel, listener);
  return {
    name: options.name,
    part: options.part,
    collect: (recording) => options.section(recording.request.scope.getOwn(gathered)?.facts, recording),
    close() {
      for (const [channel, listener] of listeners) unsubscribe(channel, listener);
    },
  };
}
