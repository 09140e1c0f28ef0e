import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { VNode } from 'preact';
import { createScriptAsset, createStyleAsset, type InlineAsset } from './assets.js';
import { baseStyles } from './base-styles.js';
import { contentSecurityPolicy } from './content-security-policy.js';
import { escapeHtml } from './escape-html.js';
import { html, type HtmlValue } from './html-tag.js';
import { embed, renderDocument, renderFragment } from './render-document.js';
import { renderSpans } from './render-spans.js';
import { isSafeHtml, type SafeHtml, trustedHtml } from './safe-html.js';
import { safeUrl } from './safe-url.js';
import { themeScript } from './theme-script.js';
import { visibleJson, visiblePage } from './visible-text.js';

function unescapeHtml(text: string): string {
  const named = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" };
  return text.replaceAll(/&(quot|amp|lt|gt|#39);/g, (_, name: keyof typeof named) => named[name]);
}

describe('escapeHtml', () => {
  it('leaves nothing that a parser acts on, and loses nothing but NUL', () => {
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

describe('visiblePage', () => {
  it('writes out what turns text, in text and in attributes that are read; others, styles and scripts stay as they are', () => {
    const page = (mark: string, raw: string): string =>
      `<!doctype html><style>p::before { content: "${raw}" }</style><p title="a > ${mark}" data-a="${raw}">5 > 3 ${mark}abc</p>` +
      `<textarea>${raw}</textarea><script>"${raw}<p>"</script><input value="${raw}"/>${mark}`;
    assert.equal(visiblePage(page('\u202e', '\u202e')), page('⟨U+202E⟩', '\u202e'));
    const harmless = page('', '');
    assert.equal(visiblePage(harmless), harmless);
  });

  it('is linear in what cannot be read as markup', () => {
    for (const text of ['<', '<a "', '<style>', '<!--', '<a b="'])
      assert.ok(visiblePage(`${text.repeat(20_000)}\u202e`).includes('⟨U+202E⟩'), text);
  });
});

describe('visibleJson', () => {
  it('is the same data, and nothing in it turns text or steers a terminal', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.string({ unit: 'binary' }), (value, text) => {
        const json = visibleJson(JSON.stringify([value, `${text}\u202e\u009b`]));
        assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify([value, `${text}\u202e\u009b`])));
        assert.doesNotMatch(json, /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe('html templates', () => {
  it('escape text and quoted attribute values, and keep markup made here', () => {
    const text = `<b title="x">'&`;
    const inner = html`<i>${text}</i>`;
    assert.equal(
      html`<p title="${text}">${inner}${[1, null, 'a<']}</p>`.toString(),
      `<p title="&lt;b title=&quot;x&quot;&gt;&#39;&amp;"><i>&lt;b title=&quot;x&quot;&gt;&#39;&amp;</i>1a&lt;</p>`,
    );
    assert.ok(isSafeHtml(inner));
  });

  it('escape text given as JSX child and render the element', () => {
    const item = <li>{'<x>'}</li>;
    assert.equal(html`<i>${item}</i>`.toString(), '<i><li>&lt;x></li></i>');
  });

  it('turn a URL that would run something into a dead link', () => {
    for (const url of [
      'javascript:alert(1)',
      ' java\nscript:alert(1)',
      'JAVASCRIPT:x',
      '\u0001data:text/html,x',
      'vbscript:x',
    ]) {
      assert.equal(html`<a href="${url}">x</a>`.toString(), '<a href="#refused">x</a>');
    }
    assert.equal(html`<a href="/a?b=${'"><x'}">x</a>`.toString(), '<a href="/a?b=&quot;&gt;&lt;x">x</a>');
  });

  it('refuse a hole where no escaping helps, already at the first use', () => {
    const given = 'x';
    const holes: (() => SafeHtml)[] = [
      () => html`<a ${given}="1">x</a>`,
      () => html`<a title=${given}>x</a>`,
      () => html`<${given}>x`,
      () =>
        html`<script>
          ${given};
        </script>`,
      () =>
        html`<script>
          if (1 < 2) {
            ('a>b');
          }
          ${given};
        </script>`,
      () =>
        html`<style>
          ${given}
        </style>`,
      () => html`<!-- ${given} -->`,
      () => html`<p onclick="${given}">x</p>`,
      () => html`<p style="${given}">x</p>`,
      () => html`<iframe srcdoc="${given}"></iframe>`,
      () => html`<noscript>${given}</noscript>`,
    ];
    for (const hole of holes) assert.throws(hole, TypeError, hole.toString());
  });

  it('fill text areas, where only their end tag would matter', () => {
    assert.equal(
      html`<textarea name="a">${'</textarea><x>'}</textarea>`.toString(),
      '<textarea name="a">&lt;/textarea&gt;&lt;x&gt;</textarea>',
    );
  });

  it('refuse objects that only look like markup', () => {
    const fakes: unknown[] = [
      { toString: () => '<b>' },
      JSON.parse('{"type":"b","props":{"dangerouslySetInnerHTML":{"__html":"<x>"}},"__v":1}'),
      new Proxy(trustedHtml('<b>'), {}),
      Object.create(trustedHtml('<b>')),
    ];
    for (const fake of fakes) assert.throws(() => html`<p>${fake as HtmlValue}</p>`, TypeError); // what no compiler saw
  });
});

describe('documents', () => {
  it('have doctype, language, title and body, all text escaped', () => {
    const page = renderDocument(<p title={'"><x>'}>{'<script>'}</p>, {
      lang: 'en"><',
      title: '</title><x>',
      theme: 'dark',
      bodyClass: '"x',
    });
    assert.match(page, /^<!doctype html>\n<html lang="en&quot;&gt;&lt;" data-theme="dark">/);
    assert.match(page, /<title>&lt;\/title&gt;&lt;x&gt;<\/title>/);
    assert.match(page, /<body class="&quot;x"><p title="&quot;>&lt;x>">&lt;script><\/p><\/body>/);
  });

  it('embed markup made here and nothing else', () => {
    assert.equal(renderFragment(<p>{embed(html`<b>${'<'}</b>`)}</p>).toString(), '<p><b>&lt;</b></p>');
    assert.throws(() => embed('<b>' as unknown as SafeHtml), TypeError); // what no compiler saw
    const fake = JSON.parse('{"type":"b","props":{"children":"x"}}') as VNode; // what no compiler saw
    assert.equal(renderFragment(<p>{fake}</p>).toString(), '<p></p>');
  });

  it('take only assets made here', () => {
    const forged: InlineAsset = { kind: 'script', text: 'alert(1)', source: "'unsafe-inline'" };
    assert.throws(() => renderDocument(<p />, { lang: 'en', title: '', assets: [forged] }), TypeError);
    assert.throws(() => createStyleAsset('a</style>'), TypeError);
    assert.throws(() => createScriptAsset('"<!--"'), TypeError);
  });

  it('spans escape text and classes', () => {
    assert.equal(
      renderSpans(['<', ['a"b', [['mark', '&']]]]).toString(),
      '&lt;<span class="a&quot;b"><mark>&amp;</mark></span>',
    );
  });
});

describe('policy', () => {
  it('allows the assets of the page by their hashes and nothing else', () => {
    const policy = contentSecurityPolicy({ assets: [baseStyles, themeScript] });
    const hash = createHash('sha256').update(themeScript.text).digest('base64');
    assert.ok(policy.includes(`script-src 'sha256-${hash}';`));
    assert.match(policy, /^default-src 'none'; style-src 'sha256-/);
    assert.match(policy, /base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.match(contentSecurityPolicy(), /script-src 'none'/);
    assert.match(contentSecurityPolicy({ scripts: 'self' }), /script-src 'self';/);
  });

  it('takes no nonce that could end its directive', () => {
    assert.throws(() => contentSecurityPolicy({ nonce: "x'; script-src *" }), TypeError);
    assert.match(
      contentSecurityPolicy({ nonce: 'abcdefghijklmnop1234' }),
      /script-src 'nonce-abcdefghijklmnop1234'/,
    );
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
