import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatTime, renderRows, wrapUsage } from './terminal.js';

/** Returns the last line's cells in a table with one flexible column. */
const cutTo = (width: number, text: string): string | undefined =>
  renderRows([{ Path: text }], { width, flexible: ['Path'] })
    .trimEnd()
    .split('\n')
    .at(-1);

describe('a table cell in a terminal', () => {
  it("is shown whole if it fits exactly, and otherwise cut to its column's width", () => {
    const path = '/articles/2026/11/27/a-long-title';
    assert.equal(cutTo(path.length, path), path);
    assert.equal(cutTo(20, path), '/articles/…ong-title'); // the beginning gets the extra character
    assert.equal(cutTo(21, path), '/articles/…long-title');
    assert.equal(cutTo(20, `GET ${path}`), 'GET /artic…ong-title');
    assert.equal(cutTo(20, 'a message that is not a path'), 'a message that is n…');
  });

  it('shrinks to no less than twelve characters', () => {
    assert.equal(cutTo(5, '/articles/2026/11/27'), '/artic…11/27');
    const both = renderRows([{ First: 'x'.repeat(30), Second: 'y'.repeat(20), Third: 'whole' }], {
      width: 44,
      flexible: ['First', 'Second'],
    });
    assert.equal(both.trimEnd().split('\n').at(-1), `${'x'.repeat(16)}…  ${'y'.repeat(17)}…  whole`);
  });
});

describe('a time in a terminal', () => {
  it('falls back to 1970 for an impossible time in a record', () => {
    for (const none of [-1e300, 8.64e15, Infinity, NaN])
      assert.match(formatTime(none), /^19(?:69-12-31|70-01-01) /);
    assert.match(formatTime(Date.UTC(2026, 10, 22, 12)), /^2026-11-2\d /);
  });
});

describe('a usage text in a terminal', () => {
  const usage =
    'Usage: tool\n\n  go [FILE]    go there, and come back when it is done\n  on           go on\n\nOne paragraph\nof two lines.\n';

  it('has descriptions in their column and paragraphs wrapped, and keeps all words', () => {
    const text = wrapUsage(usage, 32);
    for (const line of text.split('\n')) assert.ok(line.length < 32, line);
    assert.match(
      text,
      /^ {2}go \[FILE\] {4}go there, and\n {15}come back when\n {15}it is done\n {2}on {11}go on$/m,
    );
    assert.deepEqual(text.split(/\s+/), usage.split(/\s+/));
    assert.equal(wrapUsage(usage, undefined), usage);
  });
});
