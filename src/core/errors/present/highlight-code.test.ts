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
  (highlightLines({ lines: [...before, line], file: 'a.tsx' }, -1, 0).at(-1) ?? []).filter(
    (part) => typeof part !== 'string',
  );

describe('highlightLines', () => {
  it('neither loses nor adds a character, for any lines', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.stringMatching(/^[`'"/*\\a-z${}[\] ]{0,40}$/)), { minLength: 1 }),
        fc.nat(5),
        fc.nat(40),
        fc.option(fc.array(fc.stringMatching(/^[`${(k*<>'"sd/.]{0,4}$/)), { nil: undefined }),
        (lines, marked, column, open) => {
          const single = lines.map((line) => line.replaceAll(/[\n\r\u2028\u2029]/g, ' '));
          const code = { lines: single, open, file: 'a.jsx' };
          assert.deepEqual(highlightLines(code, marked, column).map(plain), single);
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

  it('continues comments and templates across lines', () => {
    assert.deepEqual(styled('still', ['a /* one']), [['cc', 'still']]);
    assert.deepEqual(styled('still` + 1', ['a = `one']), [
      ['cs', 'still`'],
      ['cn', '1'],
    ]);
    const below = { lines: ['was a comment */ let', 'b'], open: ['*', ''] };
    assert.deepEqual(highlightLines(below, -1, 0)[0], [['cc', 'was a comment */'], ' ', ['ck', 'let']]);
  });

  it('ignores comment ends inside strings, templates and regular expressions', () => {
    for (const line of ["fetch(url, { accept: '*/*' });", 'a = `*/`;', 'a = /[*]/;'])
      assert.deepEqual(styled('throw x;', [line]), [['ck', 'throw']], line);
    assert.deepEqual(styled('throw x;', ["a = '/*';"]), [['ck', 'throw']]);
  });

  it('follows nested templates, with code in them', () => {
    const nested = 'a = `x ${b ? `in ${c} y` : "`"} end`;';
    assert.deepEqual(styled(nested), [
      ['cs', '`x ${'],
      ['cs', '`in ${'],
      ['cs', ' y`'],
      ['cs', '"`"'],
      ['cs', ' end`'],
    ]);
    assert.deepEqual(styled('throw x;', [nested]), [['ck', 'throw']]);
    assert.deepEqual(styled('} end`; throw x;', ['a = `x ${[1].map((b) => {', 'return { b };', '})']), [
      ['cs', ' end`'],
      ['ck', 'throw'],
    ]);
  });

  it('distinguishes regular expressions from division', () => {
    for (const line of ["if (a) /don't/.test(b);", "a = (b) / 2; c = 'x';", "return /'/;", 'a++ / 2;'])
      assert.deepEqual(styled('throw x;', [line]), [['ck', 'throw']], line);
    assert.deepEqual(styled("a / 2; 'b' / c"), [
      ['cn', '2'],
      ['cs', "'b'"],
    ]);
  });

  it('treats JSX text as text', () => {
    const page = [
      'return (',
      '  <div title="don\'t">',
      "    don't /* no comment",
      "    {a && <b>it's</b>}<br />",
      '  </div>',
      ');',
    ];
    assert.deepEqual(styled('throw x;', page), [['ck', 'throw']]);
    assert.deepEqual(styled("don't", page.slice(0, 2)), []);
    assert.deepEqual(styled('const f = <T,>(x: T) => g<T>(x);'), [['ck', 'const']]);
    // TypeScript without JSX.
    const [first] = highlightLines({ lines: ["x = <any>'a'"], file: 'a.ts' }, -1, 0);
    assert.deepEqual(first?.at(-1), ['cs', "'a'"]);
  });

  it('marks the token at the column', () => {
    assert.deepEqual(highlightLines({ lines: ['a = load()'] }, 0, 5)[0], [
      'a',
      ' ',
      '=',
      ' ',
      ['mark', [['cf', 'load']]],
      '(',
      ')',
    ]);
    // If only the line is known, the column is its indentation.
    assert.deepEqual(highlightLines({ lines: ['  a'] }, 0, 1)[0], ['  ', 'a']);
  });
});

describe('the mark', () => {
  it('is one token on one line, including the first and last column', () => {
    const marked = (column: number, line = 0): string[] =>
      highlightLines({ lines: ['ab(cd)', 'ab(cd)'] }, line, column).map((row) =>
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
