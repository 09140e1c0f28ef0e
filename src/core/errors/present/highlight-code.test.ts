import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SpanPart } from '#core/html';
import { highlightLines } from './highlight-code.js';

function plain(parts: readonly SpanPart[]): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : typeof part[1] === 'string' ? part[1] : plain(part[1])))
    .join('');
}
const styled = (line: string, before: string[] = []) =>
  (highlightLines([...before, line], -1, 0).at(-1) ?? []).filter((part) => typeof part !== 'string');

describe('highlightLines', () => {
  it('loses and adds no character, whatever the lines are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.stringMatching(/^[`'"/*\\a-z${}[\] ]{0,40}$/)), { minLength: 1 }),
        fc.nat(5),
        fc.nat(40),
        (lines, marked, column) => {
          const single = lines.map((line) => line.replaceAll(/[\n\r\u2028\u2029]/g, ' '));
          assert.deepEqual(highlightLines(single, marked, column).map(plain), single);
        },
      ),
    );
  });

  it('distinguishes keywords, strings, numbers, calls, types and comments', () => {
    assert.deepEqual(styled("const a = load('x', 1) as Foo; // end"), [
      ['ck', 'const'],
      ['cf', 'load'],
      ['cs', "'x'"],
      ['cn', '1'],
      ['ck', 'as'],
      ['ct', 'Foo'],
      ['cc', '// end'],
    ]);
    assert.deepEqual(styled('x = /[/"]+/.test(y) / 2'), [
      ['cs', '/[/"]+/'],
      ['cf', 'test'],
      ['cn', '2'],
    ]);
    assert.deepEqual(styled('a.delete'), []);
  });

  it('carries comments and templates over lines, also those that began above', () => {
    assert.deepEqual(styled('still', ['a /* one']), [['cc', 'still']]);
    assert.deepEqual(styled('still` + 1', ['a = `one']), [
      ['cs', 'still`'],
      ['cn', '1'],
    ]);
    assert.deepEqual(highlightLines(['was a comment */ let', 'b'], -1, 0)[0], [
      ['cc', 'was a comment */'],
      ' ',
      ['ck', 'let'],
    ]);
  });

  it('marks the piece at the column', () => {
    assert.deepEqual(highlightLines(['a = load()'], 0, 5)[0], [
      'a',
      ' ',
      '=',
      ' ',
      ['mark', [['cf', 'load']]],
      '(',
      ')',
    ]);
    // Where only the line is known, the column is that of its indentation.
    assert.deepEqual(highlightLines(['  a'], 0, 1)[0], ['  ', 'a']);
  });
});

describe('the mark', () => {
  it('is one piece of one line, the first and the last column of it included', () => {
    const marked = (column: number, line = 0): string[] =>
      highlightLines(['ab(cd)', 'ab(cd)'], line, column).map((row) =>
        row.map((part) => (typeof part !== 'string' && part[0] === 'mark' ? 'M' : '.')).join(''),
      );
    const rows = ['M...', 'M...', '.M..', '..M.', '..M.', '...M', '....'];
    for (const [index, row] of rows.entries()) {
      assert.deepEqual(marked(index + 1), [row, '....'], `column ${index + 1}`);
      assert.deepEqual(marked(index + 1, 1), ['....', row]);
    }
    assert.deepEqual([marked(0), marked(1, 2)], [['....', '....'], ['....', '....']]); // prettier-ignore
  });
});
