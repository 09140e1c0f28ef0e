import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html, type HtmlValue } from './html-tag.js';
import { isSafeHtml, type SafeHtml, trustedHtml } from './safe-html.js';

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

  it('escape text passed as a JSX child and render the element', () => {
    const item = <li>{'<x>'}</li>;
    assert.equal(html`<i>${item}</i>`.toString(), '<i><li>&lt;x></li></i>');
  });

  it('write booleans in aria-… and data-… attributes as words, and in other attributes as nothing', () => {
    assert.equal(
      html`<p aria-invalid="${true}" data-open="${false}" title="${true}">${false}</p>`.toString(),
      '<p aria-invalid="true" data-open="false" title=""></p>',
    );
    const missing: boolean | undefined = undefined;
    assert.equal(html`<p aria-busy="${missing}"></p>`.toString(), '<p aria-busy=""></p>');
  });

  it('turn a dangerous URL into a dead link', () => {
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

  it('refuse a placeholder where escaping does not help, already on first use', () => {
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
    for (const fake of fakes) assert.throws(() => html`<p>${fake as HtmlValue}</p>`, TypeError); // bypasses the compiler
  });

  it('name a Promise that was not awaited, in text and in an attribute', () => {
    const late = Promise.resolve('x') as unknown as string; // as untyped programs may do
    assert.throws(() => html`<p>${late}</p>`, { message: /was given a promise\. Add "await"/ });
    assert.throws(() => html`<p title="${late}"></p>`, { message: /was given a promise\. Add "await"/ });
  });
});
