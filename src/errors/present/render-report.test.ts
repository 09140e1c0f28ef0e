import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { codeSpan, escapeMarkdown, fence } from './render-report.js';

const text = fc.oneof(fc.string(), fc.stringMatching(/^[`|<\n\\a#-]{0,40}$/));

describe('Markdown of foreign text', () => {
  it('stays inside its code span and on its line', () => {
    fc.assert(
      fc.property(text, (given) => {
        const span = codeSpan(given);
        assert.ok(!/[\r\n]/.test(span));
        const ticks = /^`+/.exec(span)?.[0];
        if (ticks === undefined) return assert.equal(span, '(empty)');
        const inside = span.slice(ticks.length, -ticks.length);
        assert.ok(!inside.includes(ticks), 'no run inside closes the span');
        assert.ok(!/(?<!\\)\|/.test(inside), 'no bar splits the table');
      }),
    );
  });

  it('stays inside its fence', () => {
    fc.assert(
      fc.property(text, (given) => {
        const lines = fence(given, 'json').split('\n');
        const ticks = (lines[0] ?? '').replace('json', '');
        assert.equal(lines.at(-1), ticks);
        assert.ok(!lines.slice(1, -1).some((line) => line.trim().startsWith(ticks)));
      }),
    );
  });

  it('opens no element, link, heading or emphasis', () => {
    fc.assert(
      fc.property(text, (given) => {
        const plain = escapeMarkdown(given).replace(/\\./g, '');
        assert.ok(!/[`*_[\]#|<>&~\n\r]/.test(plain), plain);
      }),
    );
  });
});
