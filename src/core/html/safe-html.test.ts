import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { escapeHtml, safeUrl, visibleJson, visiblePage } from './safe-html.js';
import { createStyleAsset } from './assets.js';

function unescapeHtml(text: string): string {
  const named = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" };
  return text.replaceAll(/&(quot|amp|lt|gt|#39);/g, (_, name: keyof typeof named) => named[name]);
}

describe('escapeHtml', () => {
  it('removes everything that a parser acts on, and loses nothing but NUL', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[<>&"'a\0]*$/)),
        (text) => {
          const escaped = escapeHtml(text);
          assert.doesNotMatch(escaped, /[<>"'\0]|&(?!(?:quot|amp|lt|gt|#39);)/);
          assert.equal(unescapeHtml(escaped), text.replaceAll('\0', '\uFFFD'));
        },
      ),
    );
  });
});

describe('a URL in a page', () => {
  it('cannot run code in a browser', () => {
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

  it('allows other schemes only if they are listed', () => {
    assert.equal(safeUrl('vscode://file/a.ts:1'), '#refused');
    assert.equal(safeUrl('vscode://file/a.ts:1', ['vscode:']), 'vscode://file/a.ts:1');
    assert.equal(safeUrl('VSCODE:x', ['vscode:']), 'VSCODE:x');
    assert.equal(safeUrl('javascript:1', ['vscode:']), '#refused');
    assert.equal(safeUrl('/a:b'), '/a:b');
    assert.equal(safeUrl('?a:b'), '?a:b');
  });
});

describe("a page's stylesheet", () => {
  const squeezed = (css: string): string => createStyleAsset(css).text;

  it('loses insignificant spaces, and no others', () => {
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

  it('does not change when minified again', () => {
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

  it('createStyleAsset refuses text that ends its element', () => {
    for (const bad of ['a{}</style>', '</STYLE >', '<!-- x', '</script>'])
      assert.throws(() => createStyleAsset(bad), TypeError);
  });
});

describe('safeUrl', () => {
  it('safeUrl keeps harmless URLs', () => {
    for (const url of ['/a', 'a:b/c'.slice(2), '?a=b:c', '#x', 'https://x/', 'mailto:a@b'])
      assert.equal(safeUrl(url), url);
    assert.equal(safeUrl('vscode://file/a:1', ['vscode:']), 'vscode://file/a:1');
    assert.equal(safeUrl('vscode://file/a:1'), '#refused');
  });
});

describe('visiblePage', () => {
  it('makes characters that reorder text visible, in text and read-out attributes; other attributes, styles and scripts stay unchanged', () => {
    const page = (mark: string, raw: string): string =>
      `<!doctype html><style>p::before { content: "${raw}" }</style><p title="a > ${mark}" data-a="${raw}">5 > 3 ${mark}abc</p>` +
      `<textarea>${raw}</textarea><script>"${raw}<p>"</script><input value="${raw}"/>${mark}`;
    assert.equal(visiblePage(page('\u202e', '\u202e')), page('⟨U+202E⟩', '\u202e'));
    const harmless = page('', '');
    assert.equal(visiblePage(harmless), harmless);
  });

  it('takes linear time for invalid markup', () => {
    for (const text of ['<', '<a "', '<style>', '<!--', '<a b="']) {
      const begun = process.cpuUsage();
      const page = visiblePage(`${text.repeat(20_000)}\u202e`);
      assert.ok(process.cpuUsage(begun).user < 500_000, text);
      // The rest is the content of the style element or comment.
      assert.equal(page.includes('⟨U+202E⟩'), !/style|!--/.test(text), text);
    }
  });
});

describe('visibleJson', () => {
  it('is the same data, and nothing in it reorders text or controls a terminal', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.string({ unit: 'binary' }), (value, text) => {
        const json = visibleJson(JSON.stringify([value, `${text}\u202e\u009b`]));
        assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify([value, `${text}\u202e\u009b`])));
        assert.doesNotMatch(json, /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
