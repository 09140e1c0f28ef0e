import { type Snapshot, type Redactor, createDump } from '#core/dump';
import { type KeptMessages, createChannelCollector, keepMessage } from '../collect-messages.js';
import type { CollectedSection } from '../section.js';
import { type ChannelMessage, callOf, messageText, positiveNumber } from '../message-reader.js';
import { type JobsSection, jobsDefinition } from './section.js';

const maxSent = 50;

interface Facts extends KeptMessages {
  run: ChannelMessage | undefined;
}

export function createJobsCollector(redactor: Redactor): CollectedSection {
  const snapshot = createDump({ depth: 4, entries: 50, text: 2000, bytes: 16_000, redactor });
  return createChannelCollector<Facts>({
    definition: jobsDefinition,
    begin: () => ({ messages: [], more: 0, run: undefined }),
    channels: {
      'lookback:jobs:sent': (kept, message) =>
        keepMessage(kept, { ...message, data: snapshot(message['data']) }, maxSent),
      'lookback:jobs:run': (kept, message) => {
        kept.run = message;
      },
    },
    section: (kept, { startedAt }): JobsSection | undefined =>
      kept && {
        run: kept.run === undefined ? null : readRun(kept.run, snapshot),
        sent: kept.messages.map((message) => ({
          queue: messageText(message['queue'], 300),
          name: messageText(message['name'], 300),
          id: idOf(message['id']) || null,
          data: message['data'] as Snapshot, // already a snapshot, see above
          ...callOf(message, startedAt),
        })),
        more: kept.more,
      },
  });
}

function readRun(
  { queue, name, id, attempt, data, result }: ChannelMessage,
  snapshot: (value: unknown) => Snapshot,
): JobsSection['run'] {
  return {
    queue: messageText(queue, 300),
    name: messageText(name, 300),
    id: idOf(id),
    attempt: positiveNumber(attempt),
    data: snapshot(data),
    result: snapshot(result),
  };
}

function idOf(id: unknown): string {
  return typeof id === 'number' ? String(id) : messageText(id, 200);
}
