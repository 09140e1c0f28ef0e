import { createDump, type Redactor } from '#dump';
import { definePart } from '../../form/define-part.js';
import type { InputOf, OutputOf } from '../../form/form.js';
import {
  type ChannelMessage,
  createChannelCollector,
  type ListeningCollector,
} from '../create-channel-collector.js';
import { MessageReader, positiveNumber } from '../message-reader.js';
import { keepMessage, type KeptMessages } from './create-call-collector.js';

const form = {
  // The job of this record; null for the record of a request.
  run: ['?', { queue: 'word', name: 'word', id: 'text', attempt: 'count', data: 'taken', result: 'taken' }],
  sent: [
    {
      queue: 'word',
      name: 'word',
      id: 'text?',
      data: 'taken',
      offsetMs: 'offset',
      durationMs: 'ms',
      error: 'text?',
      callSite: [{ name: 'word?', file: 'word', line: 'count', column: 'count' }],
    },
  ],
  // Number of omitted jobs.
  more: 'count',
} as const;

/** The `jobs` section of a record: the jobs that were sent to queues, and the job that the record is about. */
export type JobsSection = OutputOf<typeof form>;
type JobsInput = InputOf<typeof form>;

const maxSent = 50;

interface Facts extends KeptMessages {
  run: ChannelMessage | undefined;
}

/** Creates the `jobs` collector of jobs that are sent to queues, and of the job that is processed. */
export function createJobsCollector(redactor: Redactor): ListeningCollector {
  const reader = new MessageReader(redactor);
  const picture = createDump({ depth: 4, entries: 50, text: 2000, nodes: 500, bytes: 16_000, redactor });
  const jobText = (value: unknown): string | null =>
    typeof value === 'string' || typeof value === 'number' ? reader.text(String(value), 200) : null;
  return createChannelCollector<Facts>({
    name: 'jobs',
    part: definePart(form, {
      summary: { sent: { kind: 'count', of: ({ sent, more }) => sent.length + more } },
    }),
    begin: () => ({ messages: [], more: 0, run: undefined }),
    channels: {
      'lookback:jobs:sent': (kept, message) =>
        keepMessage(kept, { ...message, data: picture(message['data']) }, maxSent),
      'lookback:jobs:run': (kept, message) => {
        kept.run = message;
      },
    },
    section(kept, { startedAt }): JobsInput | undefined {
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
          data: message['data'] as JobsInput['sent'][number]['data'], // already a picture, see above
          ...reader.call(message, startedAt),
        })),
        more: kept.more,
      };
    },
  });
}
