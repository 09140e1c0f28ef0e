import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createStyleAsset } from './assets.js';
import { safeUrl } from './safe-url.js';

describe('a URL that may stand in a page', () => {
  it('runs nothing, as a browser reads it', () => {
    const piece = fc.constantFrom(
      'javascript',
      'JaVa',
      'script',
      ':',
      '\t',
      '\n',
      '\r',
      ' ',
      '\0',
      '\u0001',
      '\x7f',
      'data',
      'vbscript',
      'http',
      's',
      '//',
      'a',
      '/',
      '?',
      '#',
      '.',
      '%3a',
      'blob',
      'file',
      '\u00a0',
      '\ufeff',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 10 }).map((parts) => parts.join('')),
        (text) => {
          const url = safeUrl(text);
          const read = URL.canParse(url, 'https://here.example/page')
            ? new URL(url, 'https://here.example/page')
            : undefined;
          if (read !== undefined) assert.match(read.protocol, /^(?:https?|mailto):$/, JSON.stringify(text));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('takes other schemes only where they are named', () => {
    assert.equal(safeUrl('vscode://file/a.ts:1'), '#refused');
    assert.equal(safeUrl('vscode://file/a.ts:1', ['vscode:']), 'vscode://file/a.ts:1');
    assert.equal(safeUrl('VSCODE:x', ['vscode:']), 'VSCODE:x');
    assert.equal(safeUrl('javascript:1', ['vscode:']), '#refused');
    assert.equal(safeUrl('/a:b'), '/a:b');
    assert.equal(safeUrl('?a:b'), '?a:b');
  });
});

describe('a stylesheet of a page', () => {
  const squeezed = (css: string): string => createStyleAsset(css).text;

  it('loses the spaces that mean nothing, and no other', () => {
    for (const [css, expected] of [
      ['a {\n  color : red ;\n}\n', 'a{color : red;}'],
      ['a   b, c { margin: 0  auto; }', 'a b,c{margin:0 auto;}'],
      ['a::before { content: "  x ; { "; }', 'a::before{content:"  x ; { ";}'],
      ['a:not( .b ) > c { }', 'a:not( .b ) > c{}'],
      [
        '@media (width > 40em) { a { top: calc(1px + 2px) } }',
        '@media (width > 40em){a{top:calc(1px + 2px)}}',
      ],
      ['.a :hover { }', '.a :hover{}'],
    ] as const)
      assert.equal(squeezed(css), expected, css);
  });

  it('is the same when it is squeezed again', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '  ',
      '{',
      '}',
      ':',
      ';',
      ',',
      '"x y"',
      '\n',
      '>',
      '(',
      ')',
      '1px',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }).map((parts) => parts.join('')),
        (css) => {
          const once = squeezed(css);
          assert.equal(once.replaceAll(/\s/g, ''), css.replaceAll(/\s/g, ''), 'nothing but spaces is lost');
        },
      ),
    );
  });

  it('cannot end its element', () => {
    for (const bad of ['a{}</style>', '</STYLE >', '<!-- x', '</script>'])
      assert.throws(() => createStyleAsset(bad), TypeError);
  });
});

describe('safeUrl', () => {
  it('keeps harmless ones', () => {
    for (const url of ['/a', 'a:b/c'.slice(2), '?a=b:c', '#x', 'https://x/', 'mailto:a@b'])
      assert.equal(safeUrl(url), url);
    assert.equal(safeUrl('vscode://file/a:1', ['vscode:']), 'vscode://file/a:1');
    assert.equal(safeUrl('vscode://file/a:1'), '#refused');
  });
});
