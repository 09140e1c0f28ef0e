import type { MailMessage, MailSection } from '../../collectors/outgoing/mail-collector.js';
import { findSection } from '../../collectors/find-section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../blocks/block.js';
import { formatBytes, plural } from '../../words/format.js';
import type { Panel, PanelContext } from '../panel.js';
import { callSitePairs, nothingRecorded, pairOf, timeCell } from './outgoing-blocks.js';

/** The mail that a request sent, as its receivers see it. */
export const mailPanel: Panel = {
  id: 'mail',
  title: 'Mail',
  icon: 'M3 6h18v12H3zm0 1 9 6 9-6',
  section: 'mail',
  badge(record) {
    const section = sectionOf(record);
    if (section === undefined) return undefined;
    const failed = section.messages.filter(({ error }) => error !== null).length;
    const count = section.messages.length + section.more;
    if (failed > 0) return { count, tone: 'error', words: `${plural(failed, 'message')} not sent` };
    return { count, tone: 'neutral', words: plural(count, 'message') };
  },
  show(record, context) {
    const section = sectionOf(record);
    if (section === undefined)
      return nothingRecorded(
        'mail',
        'nodemailer is seen where require() loaded it, else by one line: recordMail(createTransport(…)).',
      );
    const left =
      section.more === 0
        ? []
        : [{ kind: 'text', text: `${section.more} further messages were left out.` } satisfies Block];
    return [...section.messages.map((mail, place) => blockOf(mail, place, context)), ...left];
  },
  document(record, name) {
    const html = /^\d{1,3}$/.test(name) ? sectionOf(record)?.messages[Number(name)]?.html : undefined;
    return html ?? undefined;
  },
};

function blockOf(mail: MailMessage, place: number, context: PanelContext): Block {
  const { html, text } = mail;
  return {
    kind: 'section',
    title: mail.subject === '' ? '(no subject)' : mail.subject,
    blocks: [
      {
        kind: 'pairs',
        label: 'Message',
        pairs: [
          ...pairOf('Error', mail.error, { tone: 'error' }),
          ...(['from', 'to', 'cc', 'bcc'] as const).flatMap((name) => pairOf(name, mail[name].join(', '))),
          ...mail.attachments.map(
            ({ name, type, bytes }) =>
              [
                'attachment',
                [name, type, bytes === null ? '' : formatBytes(bytes)]
                  .filter((part) => part !== '')
                  .join(', '),
              ] as const,
          ),
          ...pairOf('Message-ID', mail.messageId, { mono: true }),
          ['Sending took', timeCell(mail.durationMs)],
          ...callSitePairs(mail.callSite, context),
        ],
        empty: '',
      },
      ...(html === null
        ? []
        : [
            {
              kind: 'document',
              label: `Preview of “${mail.subject}”`,
              href: context.link('mail', { document: String(place) }),
            } satisfies Block,
          ]),
      ...(text === null ? [] : [{ kind: 'code', label: 'Text', text, language: 'text' } satisfies Block]),
    ],
  };
}

function sectionOf(record: ProfileRecord): MailSection | undefined {
  return findSection<MailSection>(record, 'mail', ['messages', 'more']);
}
