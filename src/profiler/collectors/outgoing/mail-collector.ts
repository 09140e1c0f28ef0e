import type { Redactor } from '#dump';
import type { TimelineEntry } from '../../model/profile-record.js';
import type { ChannelMessage, ListeningCollector } from '../create-channel-collector.js';
import { type CompletedPart, definePart } from '../define-part.js';
import { type CallFacts, countOrNull, MessageReader, messagesOf } from '../message-reader.js';
import { createCallCollector } from './create-call-collector.js';

/** The `mail` section of a record. */
export interface MailSection {
  readonly messages: readonly MailMessage[];
  /** Number of omitted messages. */
  readonly more: number;
}

export interface MailMessage extends CallFacts {
  readonly subject: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly {
    readonly name: string;
    readonly type: string;
    readonly bytes: number | null;
  }[];
  readonly messageId: string | null;
}

/** Limits: messages per request, characters of one text and of all texts, and addresses per field. */
const limits = { messages: 20, content: 100_000, all: 300_000, addresses: 50 } as const;

export const mailPart: CompletedPart = definePart<MailSection>({
  summary: { messages: { kind: 'count', of: ({ messages, more }) => messages.length + more } },
  timeline: ({ messages }) =>
    messages.map(({ subject, offsetMs, durationMs }): TimelineEntry => ({
      name: `mail: ${subject.slice(0, 160)}`,
      startMs: offsetMs,
      durationMs,
      category: 'http',
    })),
});

/** Creates the `mail` collector of mail that a request sends. */
export function createMailCollector(redactor: Redactor): ListeningCollector {
  const reader = new MessageReader(redactor);
  return createCallCollector<MailSection>({
    name: 'mail',
    part: mailPart,
    channel: 'lookback:mail:message',
    maxCalls: limits.messages,
    section(kept, startedAt) {
      let left: number = limits.all;
      const messages = kept.messages.map((message) => {
        const mail = readMail(message, reader, { startedAt, left });
        left = Math.max(0, left - (mail.text?.length ?? 0) - (mail.html?.length ?? 0));
        return mail;
      });
      return { messages, more: kept.more };
    },
  });
}

function readMail(
  message: ChannelMessage,
  reader: MessageReader,
  { startedAt, left }: { readonly startedAt: number; readonly left: number },
): MailMessage {
  const { redactor } = reader;
  const html = message['html'];
  const limit = Math.min(limits.content, left);
  const addresses = (name: string): string[] => {
    const list = message[name];
    return Array.isArray(list)
      ? list.slice(0, limits.addresses).map((one) => reader.text(one, 300) ?? '')
      : [];
  };
  return {
    subject: reader.text(message['subject'], 500) ?? '',
    from: addresses('from'),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    text: limit === 0 ? null : reader.text(message['text'], limit),
    html:
      typeof html === 'string' && html !== '' && limit > 0
        ? redactor.text(html.slice(0, limit), { statements: 'whole' })
        : null,
    attachments: messagesOf(message['attachments']).map(({ name, type, bytes }) => ({
      name: reader.text(name, 300) ?? '',
      type: reader.word(type),
      bytes: countOrNull(bytes),
    })),
    messageId: reader.text(message['messageId'], 300),
    ...reader.call(message, startedAt),
  };
}
