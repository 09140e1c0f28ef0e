import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatTime, renderRows } from './terminal.js';

/** The cells of the last line of a table with one flexible column. */
const cutTo = (width: number, text: string): string | undefined =>
  renderRows([{ Path: text }], { width, flexible: ['Path'] })
    .trimEnd()
    .split('\n')
    .at(-1);

describe('a cell of a table in a terminal', () => {
  it('is whole where it just fits, and as wide as its column where it is cut', () => {
    const path = '/articles/2026/11/27/a-long-title';
    assert.equal(cutTo(path.length, path), path);
    assert.equal(cutTo(20, path), '/articles/…ong-title'); // the beginning has the character more
    assert.equal(cutTo(21, path), '/articles/…long-title');
    assert.equal(cutTo(20, `GET ${path}`), 'GET /artic…ong-title');
    assert.equal(cutTo(20, 'a message that is not a path'), 'a message that is n…');
  });

  it('gives way until its column has twelve characters', () => {
    assert.equal(cutTo(5, '/articles/2026/11/27'), '/artic…11/27');
    const both = renderRows([{ First: 'x'.repeat(30), Second: 'y'.repeat(20), Third: 'whole' }], {
      width: 44,
      flexible: ['First', 'Second'],
    });
    assert.equal(both.trimEnd().split('\n').at(-1), `${'x'.repeat(16)}…  ${'y'.repeat(17)}…  whole`);
  });
});

describe('a time in a terminal', () => {
  it('is of 1970 where a record has none that can be', () => {
    for (const none of [-1e300, 8.64e15, Infinity, NaN])
      assert.match(formatTime(none), /^19(?:69-12-31|70-01-01) /);
    assert.match(formatTime(Date.UTC(2026, 10, 22, 12)), /^2026-11-2\d /);
  });
});
