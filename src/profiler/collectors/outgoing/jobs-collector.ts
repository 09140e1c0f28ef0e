import { createDump, type Picture, type Redactor } from '#dump';
import {
  type ChannelMessage,
  createChannelCollector,
  type ListeningCollector,
} from '../create-channel-collector.js';
import { type CompletedPart, definePart } from '../define-part.js';
import { type CallFacts, MessageReader, positiveNumber } from '../message-reader.js';
import { keepMessage, type KeptMessages } from './create-call-collector.js';

/** The `jobs` section of a record: the jobs that were sent to queues, and the job that the record is about. */
export interface JobsSection {
  /** The job of this record; null for the record of a request. */
  readonly run: {
    readonly queue: string;
    readonly name: string;
    readonly id: string;
    readonly attempt: number;
    readonly data: Picture;
    readonly result: Picture;
  } | null;
  readonly sent: readonly (CallFacts & {
    readonly queue: string;
    readonly name: string;
    readonly id: string | null;
    readonly data: Picture;
  })[];
  /** Number of omitted jobs. */
  readonly more: number;
}

export const jobsPart: CompletedPart = definePart<JobsSection>({
  summary: { sent: { kind: 'count', of: ({ sent, more }) => sent.length + more } },
});

const maxSent = 50;

interface Facts extends KeptMessages {
  run: ChannelMessage | undefined;
}

/** Creates the `jobs` collector of jobs that are sent to queues, and of the job that is processed. */
export function createJobsCollector(redactor: Redactor): ListeningCollector {
  const reader = new MessageReader(redactor);
  const picture = createDump({ depth: 4, entries: 50, text: 2000, bytes: 16_000, redactor });
  const jobText = (value: unknown): string | null =>
    typeof value === 'string' || typeof value === 'number' ? reader.text(String(value), 200) : null;
  return createChannelCollector<Facts>({
    name: 'jobs',
    part: jobsPart,
    begin: () => ({ messages: [], more: 0, run: undefined }),
    channels: {
      'lookback:jobs:sent': (kept, message) =>
        keepMessage(kept, { ...message, data: picture(message['data']) }, maxSent),
      'lookback:jobs:run': (kept, message) => {
        kept.run = message;
      },
    },
    section(kept, { startedAt }): JobsSection | undefined {
      if (kept === undefined) return undefined;
      const { run } = kept;
      return {
        run:
          run === undefined
            ? null
            : {
                queue: reader.word(run['queue']),
                name: reader.word(run['name']),
                id: jobText(run['id']) ?? '',
                attempt: positiveNumber(run['attempt']),
                data: picture(run['data']),
                result: picture(run['result']),
              },
        sent: kept.messages.map((message) => ({
          queue: reader.word(message['queue']),
          name: reader.word(message['name']),
          id: jobText(message['id']),
          data: message['data'] as Picture, // already a picture, see above
          ...reader.call(message, startedAt),
        })),
        more: kept.more,
      };
    },
  });
}
