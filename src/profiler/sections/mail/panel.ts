import { formatBytes, formatMilliseconds } from '../../model/formatting.js';
import type { Block, Pair } from '../../view/block.js';
import { code, furtherItems, line, section } from '../../view/make-blocks.js';
import { badgeOf, callSitePairs, pairsOf } from '../../view/make-facts.js';
import { styledText } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import type { MailMessage, MailSection } from './section.js';
import { findSection } from '../define-section.js';

/** Mail messages sent by the request, as recipients see them. */
export const mailPanel: Panel = createSectionPanel<MailSection>({
  id: 'mail',
  title: 'Mail',
  fields: ['messages', 'more'],
  badge({ messages, more }) {
    const failed = messages.filter(({ error }) => error !== null).length;
    const count = messages.length + more;
    return (
      badgeOf(count, '{n} message not sent|{n} messages not sent', { tone: 'error', n: failed }) ??
      badgeOf(count, '{n} message|{n} messages')
    );
  },
  none: 'No mail in this record. nodemailer is recorded automatically if loaded with require(), otherwise with one line: recordMail(createTransport(…)). See docs/guides/instrumentation.md.',
  show: ({ messages, more }, _record, context) => [
    messages.map((mail, index) => mailSection(mail, index, context)),
    furtherItems(more, '{n} further message was left out.|{n} further messages were left out.', line),
  ],
  document(record, name) {
    const mail = findSection<MailSection>(record, 'mail', ['messages']);
    return (/^\d{1,3}$/.test(name) ? mail?.messages[Number(name)]?.html : undefined) ?? undefined;
  },
});

function mailSection(mail: MailMessage, index: number, context: PanelContext): Block {
  const { html, text, subject } = mail;
  const attachments = mail.attachments.map(({ name, type, bytes }) => {
    const parts = [name, type, bytes === null ? '' : formatBytes(bytes)];
    return ['Attachment', parts.filter((part) => part !== '').join(', ')] as const;
  });
  const pairs: readonly Pair[] = [
    ['Error', styledText(mail.error, { tone: 'error' })],
    ['From', mail.from.join(', ')],
    ['To', mail.to.join(', ')],
    ['Cc', mail.cc.join(', ')],
    ['Bcc', mail.bcc.join(', ')],
    ...attachments,
    ['Message-ID', styledText(mail.messageId)],
    ['Sending took', formatMilliseconds(mail.durationMs)],
    ...callSitePairs(mail, context),
  ];
  const href = context.link('mail', { document: String(index) });
  return section(subject || '(no subject)', [
    pairsOf('Message', pairs),
    html !== null && { kind: 'document', label: `Preview of “${subject}”`, href },
    text !== null && code('Text', text, 'text'),
  ]);
}
