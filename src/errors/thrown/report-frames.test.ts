import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takeExcerpt } from './report-frames.js';

const source = (lines: string[]) => ({ lines, changed: false });

describe('takeExcerpt', () => {
  it('shows five lines before and after, fewer at the ends', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    const middle = takeExcerpt(source(lines), 15, 3);
    assert.deepEqual([middle?.startLine, middle?.lines.length, middle?.lines[5]], [10, 11, 'line 15']);
    assert.deepEqual(
      [takeExcerpt(source(lines), 1, 1)?.lines.length, takeExcerpt(source(lines), 30, 1)?.lines.length],
      [6, 6],
    );
    assert.equal(takeExcerpt(source(lines), 31, 1), undefined);
    assert.equal(takeExcerpt(source(lines), 0, 1), undefined);
  });

  it('cuts a line of a million characters around the place, and the column still points at it', () => {
    const line = `${'x'.repeat(600_000)}HERE${'y'.repeat(400_000)}`;
    const excerpt = takeExcerpt(source([line, line]), 1, 600_001);
    const shown = excerpt?.lines[0] ?? '';
    assert.ok(shown.length < 300);
    assert.equal(shown.slice((excerpt?.column ?? 0) - 1).slice(0, 4), 'HERE');
    assert.ok((excerpt?.lines[1] ?? '').length < 300);
  });
});
