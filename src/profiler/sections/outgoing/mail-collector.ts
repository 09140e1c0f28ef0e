import type { TimelineEntry } from '../../model/profile-record.js';
import { createCallCollector, type ListeningCollector } from '../create-channel-collector.js';
import { cleanTexts, type CompletedPart, definePart } from '../define-part.js';
import {
  type CallFacts,
  callOf,
  type ChannelMessage,
  countOrNull,
  messagesOf,
  messageText,
} from '../message-reader.js';

export interface MailSection {
  readonly messages: readonly MailMessage[];
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
  name: 'mail',
  summary: { messages: { kind: 'count', of: ({ messages, more }) => messages.length + more } },
  timeline: ({ messages }) =>
    messages.map(({ subject, offsetMs, durationMs }): TimelineEntry => ({
      name: `mail: ${subject.slice(0, 160)}`,
      startMs: offsetMs,
      durationMs,
      category: 'http',
    })),
  clean: ({ messages, more }, redactor) => ({
    messages: messages.map(({ html, ...mail }) => ({
      ...cleanTexts(mail, redactor),
      html: html && redactor.text(html, { statements: 'whole' }),
    })),
    more,
  }),
});

export function createMailCollector(): ListeningCollector {
  return createCallCollector<MailSection>({
    part: mailPart,
    channel: 'lookback:mail:message',
    maxCalls: limits.messages,
    section(kept, startedAt) {
      let left: number = limits.all;
      const messages = kept.messages.map((message) => {
        const mail = readMail(message, startedAt, Math.min(limits.content, left));
        left = Math.max(0, left - (mail.text?.length ?? 0) - (mail.html?.length ?? 0));
        return mail;
      });
      return { messages, more: kept.more };
    },
  });
}

/** `limit`: characters of a text. */
function readMail(message: ChannelMessage, startedAt: number, limit: number): MailMessage {
  const addresses = (name: string): string[] => {
    const list = message[name];
    return Array.isArray(list) ? list.slice(0, limits.addresses).map((one) => messageText(one, 300)) : [];
  };
  return {
    subject: messageText(message['subject']),
    from: addresses('from'),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    text: messageText(message['text'], limit) || null,
    html: messageText(message['html'], limit) || null,
    attachments: messagesOf(message['attachments']).map(({ name, type, bytes }) => ({
      name: messageText(name, 300),
      type: messageText(type, 300),
      bytes: countOrNull(bytes),
    })),
    messageId: messageText(message['messageId'], 300) || null,
    ...callOf(message, startedAt),
  };
}
