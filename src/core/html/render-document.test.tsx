import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import type { VNode } from 'preact';
import { isCodedError } from '#core/coded-error';
import { createScriptAsset, createStyleAsset, type InlineAsset } from './assets.js';
import { html, renderSpans } from './html-tag.js';
import { embed, renderDocument, renderFragment, type RenderMessage } from './render-document.js';
import type { SafeHtml } from './safe-html.js';

describe('documents', () => {
  for (const [maker, element] of [
    [
      'another version of Preact',
      { type: 'p', props: { children: 'x' }, key: null, constructor: Symbol('11') },
    ],
    ['React', { $$typeof: Symbol.for('react.transitional.element'), type: 'p', props: {}, key: null }],
  ] as const)
    it(`refuse an element of ${maker} with a solution, instead of rendering nothing`, () => {
      const foreign: unknown = element;
      const tree = foreign as VNode; // accepted by a user's compiler
      for (const render of [
        () => renderDocument(tree, { lang: 'en', title: 'x' }),
        () => html`<p>${tree}</p>`,
      ])
        assert.throws(render, (error) => {
          assert.ok(isCodedError(error));
          assert.equal(error.code, 'HTML_FOREIGN_ELEMENT');
          assert.ok(error.message.includes(maker));
          return /jsxImportSource.*trustedHtml/.test(error.fix ?? '');
        });
    });

  it('throw an error that names the page if its body renders to nothing', () => {
    const Empty = (): VNode | null => null;
    assert.throws(() => renderDocument(<Empty />, { lang: 'en', title: 'Orders' }), {
      code: 'HTML_EMPTY_PAGE',
      message: /"Orders"/,
    });
  });

  it('have doctype, language, title and body, all text escaped', () => {
    const page = renderDocument(<p title={'"><x>'}>{'<script>'}</p>, {
      lang: 'en"><',
      title: '</title><x>',
      bodyClass: '"x',
    });
    assert.match(page, /^<!doctype html>\n<html lang="en&quot;&gt;&lt;">/);
    assert.match(page, /<title>&lt;\/title&gt;&lt;x&gt;<\/title>/);
    assert.match(page, /<body class="&quot;x"><p title="&quot;>&lt;x>">&lt;script><\/p><\/body>/);
  });

  it('run head scripts before any style, and draw their icon in a colour', () => {
    const page = renderDocument(<p />, {
      lang: 'en',
      title: '',
      headScripts: [createScriptAsset('first()')],
      assets: [createStyleAsset('p{}'), createScriptAsset('last()')],
      hasBrandIcon: true,
      iconColour: '#b00"',
    });
    assert.match(page, /first\(\)[^]*p\{\}[^]*<\/head>[^]*last\(\)/);
    assert.match(decodeURIComponent(page), /fill="#b00&quot;"/);
    const own = { lang: 'en', title: '', hasBrandIcon: true };
    assert.match(decodeURIComponent(renderDocument(<p />, own)), /fill="#0e94bf"/);
    const red = decodeURIComponent(renderDocument(<p />, { ...own, iconColour: '#b00' }));
    assert.equal(red.split('fill="#b00"').length - 1, 3);
  });

  it('embed markup made here and nothing else', () => {
    assert.equal(renderFragment(<p>{embed(html`<b>${'<'}</b>`)}</p>).toString(), '<p><b>&lt;</b></p>');
    assert.throws(() => embed('<b>' as unknown as SafeHtml), TypeError); // bypasses the compiler
    const fake = JSON.parse('{"type":"b","props":{"children":"x"}}') as VNode; // bypasses the compiler
    assert.equal(renderFragment(<p>{fake}</p>).toString(), '<p></p>');
  });

  it('accept only assets created by createStyleAsset and similar functions', () => {
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

describe('the published rendering message', () => {
  it("has the outermost component, its duration and its markup's length", () => {
    const seen: RenderMessage[] = [];
    const note = (message: unknown): void => void seen.push(message as RenderMessage); // the channel's message type
    const rendered = channel('lookback:html:render');
    rendered.subscribe(note);
    function Greeting(): VNode {
      return <p>hello</p>;
    }
    const Named = Object.assign(() => <b>x</b>, { displayName: 'Shown' });
    const begun = performance.now();
    for (const tree of [<Greeting />, <Named />, <i />]) renderFragment(tree);
    const passed = performance.now() - begun;
    rendered.unsubscribe(note);
    renderFragment(<i />);
    assert.deepEqual(
      seen.map(({ name, length }) => [name, length]),
      [['Greeting', 12], ['Shown', 8], ['', 7]], // prettier-ignore
    );
    for (const { durationMs } of seen) assert.ok(durationMs >= 0 && durationMs <= passed, String(durationMs));
  });
});
