import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { badgeOf, published, shown, htmlOf } from '../../../../test/profiler/shown-sections.js';
import { renderBlocksMarkdown } from '../../web/reports/render-blocks-markdown.js';
import type { Block } from '../../view/block.js';

const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);

const site = [{ name: 'send', file: '/srv/app/src/mail.ts', line: 3, column: 5 }];

describe('dumps', () => {
  it('are kept as they were, with their locations, and can be unfolded', async () => {
    const value = { name: 'Ada', password: 'hunter22' };
    const sites = (): unknown => site;
    const record = await published([
      ['dump', { value, label: 'user', sites }],
      ['dump', { value: 5, label: 7, sites: () => 'none' }],
    ]);
    value.name = 'changed';
    const { dumps } = record.sections['dump'] as { dumps: readonly { offsetMs: number }[] }; // the type that the collector stores
    for (const { offsetMs } of dumps) assert.ok(offsetMs >= 0 && offsetMs < 60_000, String(offsetMs));
    assert.deepEqual(badgeOf('dump', record), [2, 'neutral', '2 dumps']);
    const html = htmlOf(shown('dump', record));
    assert.match(html, /user · send \(.*mail\.ts:3\)/);
    assert.match(html, /Ada/);
    assert.doesNotMatch(html, /changed|hunter22/);
    assert.match(html, /href="vscode:\/\/file\/srv\/app\/src\/mail\.ts:3"/);
  });

  it('beyond a hundred are counted as omitted', async () => {
    const record = await published(Array.from({ length: 103 }, (_, value) => ['dump', { value }] as const));
    assert.deepEqual(badgeOf('dump', record), [103, 'neutral', '103 dumps']);
    assert.match(textOf(shown('dump', record)), /3 further dumps were left out/);
  });
});
