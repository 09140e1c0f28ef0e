import { createCallCollector } from '../collect-messages.js';
import type { CollectedSection } from '../section.js';
import { type ChannelMessage, callOf, countOrNull, messageText, messagesOf } from '../message-reader.js';
import { type MailMessage, type MailSection, mailDefinition } from './section.js';

/** Limits: messages per request, characters per text and in all texts, and addresses per field. */
const limits = { messages: 20, content: 100_000, all: 300_000, addresses: 50 } as const;

export function createMailCollector(): CollectedSection {
  return createCallCollector<MailSection>({
    definition: mailDefinition,
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

/** Reads a message. `limit` is the maximum number of characters per text. */
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
