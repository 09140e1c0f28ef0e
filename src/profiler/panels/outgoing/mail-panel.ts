import type { MailMessage, MailSection } from '../../collectors/outgoing/mail-collector.js';
import { findSection } from '../../collectors/find-section.js';
import { formatBytes, plural } from '../../words/format.js';
import type { Block } from '../blocks/block.js';
import { section } from '../blocks/make-blocks.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { callSitePairs, noneTold, pairOf, timeCell } from './outgoing-blocks.js';

/** The mail that a request sent, as its receivers see it. */
export const mailPanel: Panel = createSectionPanel<MailSection>({
  id: 'mail',
  title: 'Mail',
  icon: 'M3 6h18v12H3zm0 1 9 6 9-6',
  fields: ['messages', 'more'],
  badge({ messages, more }) {
    const failed = messages.filter(({ error }) => error !== null).length;
    const count = messages.length + more;
    if (failed > 0) return { count, tone: 'error', words: `${plural(failed, 'message')} not sent` };
    return { count, tone: 'neutral', words: plural(count, 'message') };
  },
  none: () =>
    noneTold(
      'mail',
      'nodemailer is seen where require() loaded it, else by one line: recordMail(createTransport(…)).',
    ),
  show: ({ messages, more }, _record, context) => [
    ...messages.map((mail, place) => blockOf(mail, place, context)),
    ...(more === 0 ? [] : [{ kind: 'text' as const, text: `${more} further messages were left out.` }]),
  ],
  document(record, name) {
    const mail = findSection<MailSection>(record, 'mail', ['messages']);
    return (/^\d{1,3}$/.test(name) ? mail?.messages[Number(name)]?.html : undefined) ?? undefined;
  },
});

function blockOf(mail: MailMessage, place: number, context: PanelContext): Block {
  const { html, text, subject } = mail;
  const attachments = mail.attachments.map(({ name, type, bytes }) => {
    const parts = [name, type, bytes === null ? '' : formatBytes(bytes)];
    return ['attachment', parts.filter((part) => part !== '').join(', ')] as const;
  });
  const pairs = [
    ...pairOf('Error', mail.error, { tone: 'error' }),
    ...(['from', 'to', 'cc', 'bcc'] as const).flatMap((name) => pairOf(name, mail[name].join(', '))),
    ...attachments,
    ...pairOf('Message-ID', mail.messageId, { mono: true }),
    ['Sending took', timeCell(mail.durationMs)] as const,
    ...callSitePairs(mail.callSite, context),
  ];
  const href = context.link('mail', { document: String(place) });
  return section(subject === '' ? '(no subject)' : subject, [
    { kind: 'pairs', label: 'Message', pairs },
    ...(html === null ? [] : [{ kind: 'document' as const, label: `Preview of “${subject}”`, href }]),
    ...(text === null ? [] : [{ kind: 'code' as const, label: 'Text', text, language: 'text' }]),
  ]);
}
