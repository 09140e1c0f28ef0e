import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VNode } from 'preact';
import { createScriptAsset, createStyleAsset, type InlineAsset } from './assets.js';
import { html } from './html-tag.js';
import { embed, renderDocument, renderFragment } from './render-document.js';
import { renderSpans } from './render-spans.js';
import type { SafeHtml } from './safe-html.js';

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

  it('run scripts of the head before any style, and draw their icon in a colour', () => {
    const page = renderDocument(<p />, {
      lang: 'en',
      title: '',
      headScripts: [createScriptAsset('first()')],
      assets: [createStyleAsset('p{}'), createScriptAsset('last()')],
      icon: 'M0 0h9',
      iconColour: '#b00"',
    });
    assert.match(page, /first\(\)[^]*p\{\}[^]*<\/head>[^]*last\(\)/);
    assert.match(decodeURIComponent(page), /stroke="#b00&quot;"/);
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
