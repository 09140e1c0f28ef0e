import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { badgeOf, panelOf, published, shown, htmlOf } from '../../../../test/profiler/shown-sections.js';
import { renderBlocksMarkdown } from '../../web/reports/render-blocks-markdown.js';
import type { Block } from '../../view/block.js';

const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);

describe('jobs', () => {
  it('that were sent, and the recorded one, are shown with their data', async () => {
    const sent = {
      queue: 'mails',
      name: 'welcome',
      id: 7,
      data: { to: 'ada', password: 'hunter22' },
      durationMs: 1,
    };
    const record = await published([
      ['jobs:sent', sent],
      [
        'jobs:run',
        { queue: 'mails', name: 'welcome', id: '6', attempt: 2, data: { to: 'bob' }, result: 'done' },
      ],
    ]);
    assert.deepEqual(badgeOf('jobs', record), [1, 'neutral', '1 job']);
    assert.equal(panelOf('jobs').opens?.(record), true);
    const text = textOf(shown('jobs', record));
    assert.match(text, /bob[^]*ada/);
    assert.doesNotMatch(text, /hunter22/);
  });

  it('need no list if only one was run; beyond fifty, they are counted', async () => {
    const run = await published([['jobs:run', { queue: 'q', name: 'n', id: '1' }]]);
    assert.equal(badgeOf('jobs', run), 'plain');
    assert.doesNotMatch(textOf(shown('jobs', run)), /added to queues/);
    const many = await published(
      Array.from({ length: 55 }, () => ['jobs:sent', { queue: 'q', name: 'n' }] as const),
    );
    assert.deepEqual(badgeOf('jobs', many), [55, 'neutral', '55 jobs']);
    assert.equal(panelOf('jobs').opens?.(many), false);
    assert.match(htmlOf(shown('jobs', many)), /the first 50 of 55/);
  });
});
