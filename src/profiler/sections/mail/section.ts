import type { TimelineEntry } from '../../model/profile-record.js';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';
import type { CallFacts } from '../message-reader.js';

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

export const mailDefinition: SectionDefinition = defineSection<MailSection>({
  id: 'mail',
  numbers: { messages: { kind: 'count', of: ({ messages, more }) => messages.length + more } },
  timeline: ({ messages }) =>
    messages.map(({ subject, offsetMs, durationMs }): TimelineEntry => ({
      name: subject.slice(0, 160),
      startMs: offsetMs,
      durationMs,
      category: 'http',
    })),
  steps: {
    rows: 'messages',
    one: (subject) => `Sending the mail “${subject}”`,
    all: 'Sending mail',
    combined: '{n} mails combined',
  },
  clean: ({ messages, more }, redactor) => ({
    messages: messages.map(({ html, ...mail }) => ({
      ...cleanTexts(mail, redactor),
      html: html && redactor.text(html, { statements: 'whole' }),
    })),
    more,
  }),
});
