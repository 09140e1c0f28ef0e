import type { MailMessage, MailSection } from '../../collectors/outgoing/mail-collector.js';
import { findSection } from '../../collectors/find-section.js';
import { formatBytes, formatMilliseconds } from '../../words/format.js';
import type { Block } from '../blocks/block.js';
import {
  badgeOf,
  code,
  furtherItems,
  ifPresent,
  line,
  type Pair,
  pairsOf,
  compact,
  section,
  styledText,
} from '../blocks/make-blocks.js';
import { say } from '../../words/say.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { callSitePairs } from '../blocks/place-value.js';

/** Mail messages that the request sent, as recipients see them. */
export const mailPanel: Panel = createSectionPanel<MailSection>({
  id: 'mail',
  title: 'Mail',
  icon: 'M3 6h18v12H3zm0 1 9 6 9-6',
  fields: ['messages', 'more'],
  badge({ messages, more }) {
    const failed = messages.filter(({ error }) => error !== null).length;
    const count = messages.length + more;
    return (
      badgeOf(count, '{n} message not sent|{n} messages not sent', { tone: 'error', n: failed }) ??
      badgeOf(count, '{n} message|{n} messages')
    );
  },
  none: 'No mail in this record. nodemailer is seen where require() loaded it, else by one line: recordMail(createTransport(…)). See docs/taps.md.',
  show: ({ messages, more }, _record, context) => [
    ...messages.map((mail, index) => blockOf(mail, index, context)),
    ...furtherItems(more, '{n} further message was left out.|{n} further messages were left out.', line),
  ],
  document(record, name) {
    const mail = findSection<MailSection>(record, 'mail', ['messages']);
    return (/^\d{1,3}$/.test(name) ? mail?.messages[Number(name)]?.html : undefined) ?? undefined;
  },
});

function blockOf(mail: MailMessage, index: number, context: PanelContext): Block {
  const { html, text, subject } = mail;
  const attachments = mail.attachments.map(({ name, type, bytes }) => {
    const parts = [name, type, bytes === null ? '' : formatBytes(bytes)];
    return [say('Attachment'), parts.filter((part) => part !== '').join(', ')] as const;
  });
  const pairs: readonly Pair[] = [
    [say('Error'), styledText(mail.error, { tone: 'error' })],
    [say('From'), mail.from.join(', ')],
    [say('To'), mail.to.join(', ')],
    [say('Cc'), mail.cc.join(', ')],
    [say('Bcc'), mail.bcc.join(', ')],
    ...attachments,
    ['Message-ID', styledText(mail.messageId)],
    [say('Sending took'), formatMilliseconds(mail.durationMs)],
    ...callSitePairs(mail.callSite, context),
  ];
  const href = context.link('mail', { document: String(index) });
  return section(subject === '' ? say('(no subject)') : subject, [
    pairsOf(say('Message'), pairs),
    ...compact<Block>(
      html !== null && {
        kind: 'document',
        label: say('Preview of “{subject}”', { subject }),
        href,
      },
    ),
    ...ifPresent(text, (body) => code(say('Text'), body, 'text')),
  ]);
}
