import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { contextWith, recordWith, htmlOf } from '../../../test/profiler/shown-sections.js';
import { renderBlocksMarkdown } from './reports/render-blocks-markdown.js';
import type { Block } from '../view/block.js';
import { createMorePanel } from '../sections/section-panel.js';
import { builtinPanels } from './open-profiler-pages.js';

const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);

describe('every panel', () => {
  const hostile = '</script><img src=x onerror=alert(1)>"\'`](javascript:x)\u202e\0|\n# x';

  it('can show an empty record', async () => {
    const record = await recordWith([], () => {});
    for (const panel of [...builtinPanels, createMorePanel(builtinPanels)]) {
      const blocks = panel.show(record, contextWith());
      assert.ok(blocks.length > 0, panel.id);
      assert.ok(htmlOf(blocks).length > 10 && textOf(blocks).length > 0, panel.id);
      assert.match(panel.id, /^[a-z][a-z0-9-]*$/);
    }
    assert.equal(new Set(builtinPanels.map(({ id }) => id)).size, builtinPanels.length);
  });

  it("accepts any words in its page's query", async () => {
    const record = await recordWith([], (recording) => {
      for (let count = 0; count < 40; count++)
        recording.log({ time: 0, level: 'info', channel: `c${count}`, message: 'm', context: undefined });
    });
    const names = ['page', 'at', 'level', 'channel', 'threshold', 'frame'];
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.oneof(fc.string(), fc.constantFrom('-1', '999999', '1e9', '__proto__', hostile)),
        (name, value) => {
          for (const panel of builtinPanels) {
            const html = htmlOf(panel.show(record, contextWith({ [name]: value })));
            assert.ok(!html.includes('<img'), panel.id);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('shows foreign sections with its name as other data, or not at all', async () => {
    const data = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(hostile, [hostile], { queries: 1 }, { [hostile]: hostile }),
    );
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        const names = builtinPanels.flatMap(({ section }) => section ?? []);
        const record = await recordWith([], (recording) => {
          for (const name of [...names.slice(0, 12), 'own <b>']) recording.section(name, value);
        });
        for (const panel of [...builtinPanels, createMorePanel(builtinPanels)]) {
          const blocks = panel.show(record, contextWith());
          assert.doesNotMatch(htmlOf(blocks), /<img|<b>/, panel.id);
          assert.doesNotMatch(textOf(blocks), /^# x/m, panel.id);
          panel.badge(record);
        }
      }),
      { numRuns: 20 },
    );
  });
});
