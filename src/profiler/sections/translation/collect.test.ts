import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { badgeOf, type Message, published, shown, htmlOf } from '../../../../test/profiler/shown-sections.js';
import { renderBlocksMarkdown } from '../../web/reports/render-blocks-markdown.js';
import type { Block } from '../../view/block.js';

const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);

describe('catalogue messages', () => {
  const look = (key: string, state: string, text = 'Hello'): Message => [
    'locale:message',
    { key, state, locale: 'de', used: state === 'missing' ? '' : 'en', text },
  ];

  it('are each kept once with the number of uses, missing ones first', async () => {
    const record = await published([
      look('a.found', 'defined'),
      look('a.none', 'missing'),
      look('a.none', 'missing'),
      look('a.other', 'fallback', 'password=hunter22'),
      look('odd', 'no such state'),
    ]);
    assert.deepEqual(badgeOf('translation', record), [1, 'warn', '1 missing message']);
    const text = textOf(shown('translation', record));
    assert.ok(
      text.indexOf('a.none') < text.indexOf('a.other') && text.indexOf('a.other') < text.indexOf('a.found'),
    );
    assert.match(text, /a\.none.*2/);
    assert.doesNotMatch(text, /hunter22|odd/);
  });

  it('are counted without a warning if none is missing, and not at all if there are none', async () => {
    const record = await published([look('a', 'defined'), look('b', 'defined')]);
    assert.deepEqual(badgeOf('translation', record), [2, 'neutral', '2 messages']);
    const none = await published([]);
    assert.equal(badgeOf('translation', none), undefined);
    assert.doesNotMatch(textOf(shown('translation', none)), /Missing|Shown|Found/);
  });

  it('beyond 300 are cut, and the page says so', async () => {
    const record = await published(Array.from({ length: 310 }, (_, at) => look(`k${at}`, 'defined')));
    const html = htmlOf(shown('translation', record));
    assert.match(html, /the first 300 of 310/);
    assert.match(html, /\bk299\b/);
    assert.doesNotMatch(html, /\bk300\b/);
  });
});
