import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createScopeKey } from '#scope';
import type { Collector } from '../model/collector.js';
import type { Recording } from '../model/recording.js';
import type { SectionPart } from '../model/section-part.js';
import type { LateWork } from '../record/late-notes.js';
import { RequestRecording } from '../tape/request-recording.js';
import { currentRecording } from '../taps/current-recording.js';

/** A message of a diagnostics channel. Its fields must be checked, since anyone may publish. */
export type ChannelMessage = Readonly<Record<string, unknown>>;

export interface ChannelCollectorOptions<Facts> {
  readonly name: string;
  readonly part: SectionPart;
  /** Creates the empty facts of a request. */
  readonly begin: () => Facts;
  /** Functions by channel that add a message to the facts. If one throws, only that message is lost. */
  readonly channels: Readonly<
    Record<string, (facts: Facts, message: ChannelMessage, recording: Recording) => void>
  >;
  /** Describes a message that was published after the record was closed; undefined if it is not filed. */
  readonly late?: (message: ChannelMessage, channel: string) => LateFacts | undefined;
  /** Returns the section as plain JSON data, or undefined for none. `facts` is undefined if no message was published. */
  readonly section: (facts: Facts | undefined, recording: Recording) => unknown;
}

/** A late message; its start on the clock of `performance.now`. */
export type LateFacts = Omit<LateWork, 'startMs'> & { readonly startedAt: number };

/** A collector that is subscribed to diagnostics channels. */
export interface ListeningCollector extends Collector {
  /** Unsubscribes. */
  close(): void;
}

/**
 * Creates a collector of messages that are published on diagnostics channels while a request runs. It subscribes once for
 * the whole process; the scope in which a message is published determines its request.
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
        if (recording === undefined || typeof message !== 'object' || message === null) return;
        const fields = message as ChannelMessage; // read by name, and each is checked
        if (recording.isClosed) fileLate(recording, collector, options.late?.(fields, channel));
        else add(factsOf(recording), fields, recording);
      } catch {
        // An exception of a subscriber would end the process. A message that cannot be read is discarded.
      }
    };
    return [channel, listener] as const;
  });
  for (const [channel, listener] of listeners) subscribe(channel, listener);
  const collector: ListeningCollector = {
    name: options.name,
    part: options.part,
    collect: (recording) => options.section(recording.request.scope.getOwn(gathered)?.facts, recording),
    close() {
      for (const [channel, listener] of listeners) unsubscribe(channel, listener);
    },
  };
  return collector;
}

function fileLate(recording: Recording, collector: Collector, found: LateFacts | undefined): void {
  if (found === undefined || !(recording instanceof RequestRecording)) return;
  const { startedAt, ...work } = found;
  recording.lateWork({ ...work, startMs: startedAt - recording.startedAt }, collector);
}
