import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  badgeOf,
  type Message,
  panelOf,
  published,
  shown,
  htmlOf,
} from '../../../../test/profiler/shown-sections.js';
import { renderBlocksMarkdown } from '../../web/reports/render-blocks-markdown.js';
import type { Block } from '../../view/block.js';
import { type MailSection } from './section.js';

const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);

describe('mail', () => {
  const mail = (fields: Readonly<Record<string, unknown>> = {}): Message => [
    'mail:message',
    {
      subject: 'Welcome <Ada>',
      from: ['shop@a.test'],
      to: ['ada@a.test'],
      text: 'Hello',
      html: '<p onclick=alert(1)>Hello</p>',
      attachments: [{ name: 'a.pdf', type: 'application/pdf', bytes: 2048 }, 5],
      messageId: '<1@a.test>',
      startedAt: performance.now(),
      durationMs: 3,
      ...fields,
    },
  ];

  it('is shown as it was sent, with its page as a separate document', async () => {
    const record = await published([mail(), mail({ html: null, subject: '' })]);
    assert.deepEqual(badgeOf('mail', record), [2, 'neutral', '2 messages']);
    const html = htmlOf(shown('mail', record));
    assert.match(html, /Welcome &lt;Ada>/);
    assert.match(html, /\(no subject\)/);
    assert.match(html, /a\.pdf, application\/pdf, 2\.0 KiB/);
    assert.doesNotMatch(html, /<p onclick/);
    const { document } = panelOf('mail');
    assert.equal(document?.(record, '0'), '<p onclick=alert(1)>Hello</p>');
    for (const name of ['1', '2', '', '-1', '0x0', '__proto__', '1e0'])
      assert.equal(document?.(record, name), undefined, name);
  });

  it('is shown with its senders, recipients, attachments and id', async () => {
    const message = mail({ cc: ['cc@a.test'], bcc: ['bcc@a.test', 'bcc2@a.test'], durationMs: 3 });
    const lines = [
      '- From: `shop@a.test`',
      '- To: `ada@a.test`',
      '- Cc: `cc@a.test`',
      '- Bcc: `bcc@a.test, bcc2@a.test`',
      '- Attachment: `a.pdf, application/pdf, 2.0 KiB`',
      '- Message-ID: `<1@a.test>`',
      '- Sending took: `3.00 ms`',
    ];
    const text = textOf(shown('mail', await published([message])));
    assert.ok(text.includes(lines.join('\n')), text);
  });

  it('says why it was not sent; beyond twenty, it is counted', async () => {
    const record = await published([
      mail({ error: 'relay denied' }),
      ...Array.from({ length: 22 }, () => mail()),
    ]);
    assert.deepEqual(badgeOf('mail', record), [23, 'error', '1 message not sent']);
    assert.match(textOf(shown('mail', record)), /relay denied[^]*3 further messages were left out/);
  });

  it('has a limit on each text and on all of them', async () => {
    const text = 'x'.repeat(200_000);
    const record = await published(Array.from({ length: 5 }, () => mail({ text, html: text })));
    const { messages } = record.sections['mail'] as MailSection; // the type that the collector stores
    const kept = messages.reduce((sum, one) => sum + (one.text?.length ?? 0) + (one.html?.length ?? 0), 0);
    assert.ok(kept >= 200_000 && kept <= 300_000 + 100_000, String(kept));
    const lengths = messages.flatMap((one) => [one.text?.length ?? 0, one.html?.length ?? 0]);
    assert.equal(lengths.length, 10);
    assert.ok(Math.max(...lengths) <= 100_100, lengths.join());
  });
});
