import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordWith, shown } from '../../../test/profiler/shown-sections.js';
import { renderBlocksMarkdown } from '../web/reports/render-blocks-markdown.js';
import type { Block } from '../view/block.js';
import { startSpan, withSpan } from './start-span.js';

const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);

describe('custom spans', () => {
  it('become bars with their attributes, even open ones, and secrets are hidden', async () => {
    const record = await recordWith([], () => {
      const span = startSpan('resize', { width: 5, token: 's3cr3tHH' });
      span.end({ done: true });
      span.end({ done: false });
      startSpan('never ended');
      assert.throws(() =>
        withSpan('fails', () => {
          throw new Error('x');
        }),
      );
      assert.equal(
        withSpan('gives', () => 7),
        7,
      );
    });
    assert.deepEqual(
      record.timeline.map(({ name, detail, open }) => [name, detail, open]),
      [
        ['resize', 'width: 5, token: [redacted], done: true', undefined],
        ['never ended', undefined, true],
        ['fails', 'failed: true', undefined],
        ['gives', undefined, undefined],
      ],
    );
  });

  it('beyond 200 are cut, and the panel says so', async () => {
    const record = await recordWith([], () => {
      for (let count = 0; count < 207; count++) startSpan(`s${count}`).end();
    });
    assert.equal(record.timeline.length, 200);
    assert.match(textOf(shown('time', record)), /the first 200 of 207/);
    const few = await recordWith([], () => startSpan('one').end());
    assert.doesNotMatch(textOf(shown('time', few)), /the first/);
  });

  it('do nothing outside of a request', () => {
    startSpan('nobody').end();
    assert.equal(
      withSpan('nobody', () => 'result'),
      'result',
    );
  });
});
