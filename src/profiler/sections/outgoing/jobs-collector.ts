import { createDump, type Picture, type Redactor } from '#core/dump';
import {
  createChannelCollector,
  keepMessage,
  type KeptMessages,
  type ListeningCollector,
} from '../create-channel-collector.js';
import { cleanTexts, type CompletedPart, definePart } from '../define-part.js';
import {
  type CallFacts,
  callOf,
  type ChannelMessage,
  messageText,
  positiveNumber,
} from '../message-reader.js';

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
  readonly more: number;
}

export const jobsPart: CompletedPart = definePart<JobsSection>({
  name: 'jobs',
  summary: { sent: { kind: 'count', of: ({ sent, more }) => sent.length + more } },
  clean: (section, redactor) => cleanTexts(section, redactor, ['data', 'result']),
});

const maxSent = 50;

interface Facts extends KeptMessages {
  run: ChannelMessage | undefined;
}

export function createJobsCollector(redactor: Redactor): ListeningCollector {
  const picture = createDump({ depth: 4, entries: 50, text: 2000, bytes: 16_000, redactor });
  return createChannelCollector<Facts>({
    part: jobsPart,
    begin: () => ({ messages: [], more: 0, run: undefined }),
    channels: {
      'lookback:jobs:sent': (kept, message) =>
        keepMessage(kept, { ...message, data: picture(message['data']) }, maxSent),
      'lookback:jobs:run': (kept, message) => {
        kept.run = message;
      },
    },
    section: (kept, { startedAt }): JobsSection | undefined =>
      kept && {
        run: kept.run === undefined ? null : readRun(kept.run, picture),
        sent: kept.messages.map((message) => ({
          queue: messageText(message['queue'], 300),
          name: messageText(message['name'], 300),
          id: idOf(message['id']) || null,
          data: message['data'] as Picture, // already a picture, see above
          ...callOf(message, startedAt),
        })),
        more: kept.more,
      },
  });
}

function readRun(
  { queue, name, id, attempt, data, result }: ChannelMessage,
  picture: (value: unknown) => Picture,
): JobsSection['run'] {
  return {
    queue: messageText(queue, 300),
    name: messageText(name, 300),
    id: idOf(id),
    attempt: positiveNumber(attempt),
    data: picture(data),
    result: picture(result),
  };
}

function idOf(id: unknown): string {
  return typeof id === 'number' ? String(id) : messageText(id, 200);
}
