import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createEditorLinker } from '#core/errors';
import { renderFragment } from '#core/html';
import type { Value } from '../../view/block.js';
import { CopyButton, Time, ValueView } from './value-view.js';

const shown = (value: Value): string => String(renderFragment(<ValueView value={value} />));
/** Returns markup as text, without its tags. */
const textOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
const anyText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .filter((text) => !/[\u0590-\u08ff\ufb1d-\ufefc\r\0]/.test(text));

describe('a value of a page', () => {
  it('is its text and nothing else, for any content', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.equal(textOf(shown(text)), text);
        assert.equal(textOf(shown({ text, mono: true, tone: 'warn' })), text);
      }),
    );
  });

  it('says if it is empty, and zero is not empty', () => {
    assert.match(shown(''), /<span class="muted">empty<\/span>/);
    assert.equal(textOf(shown(0)), '0');
  });

  it('that is long is folded, with all of it after its beginning', () => {
    for (const text of ['a'.repeat(321), ['1', '2', '3', '4', '5'].join('\n')]) {
      const markup = shown(text);
      assert.match(markup, /^<details class="long">/);
      assert.ok(markup.endsWith(`<span class="text">${text}</span></details>`), markup);
      assert.match(markup, new RegExp(`${text.length} characters`));
    }
    for (const text of ['a'.repeat(320), '1\n2\n3\n4']) assert.doesNotMatch(shown(text), /<details/);
  });

  it('has classes for its properties, and none for a neutral tone', () => {
    assert.match(shown({ text: 'a' }), /^<span class="value">/);
    assert.match(shown({ text: 'a', tone: 'neutral' }), /^<span class="value">/);
    assert.match(
      shown({ text: 'a', mono: true, muted: true, tone: 'error' }),
      /^<span class="value mono muted tone-error">/,
    );
  });

  it('only links where a browser may go: own pages, http and editors', () => {
    for (const href of [
      '/_profiler/abcdef',
      '?panel=db',
      'https://example.org/',
      'vscode://file/a.ts:1:2',
      'zed://file/a',
      'subl://open?url=file:///a',
    ])
      assert.ok(shown({ text: 'a', href }).includes(`href="${href}"`), href);
    for (const href of [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
    ])
      assert.doesNotMatch(shown({ text: 'a', href }), /javascript:|data:|vbscript:|file:/i, href);
  });

  it("links to the reader's own editor by its scheme, and no other", () => {
    const { href, scheme } = createEditorLinker('our-editor://%f:%l')('/app/main.ts', 3, 1) ?? assert.fail();
    assert.match(shown({ text: 'a', href, scheme }), /href="our-editor:\/\/\/app\/main\.ts:3"/);
    assert.match(shown({ text: 'a', href }), /href="#refused"/);
  });

  it("written from right to left keeps its row's order", () => {
    assert.match(
      shown('a · שלום · b'),
      /<bdi dir="ltr">a<\/bdi><bdi dir="ltr"> · <\/bdi><bdi dir="ltr">שלום<\/bdi>/,
    );
    assert.doesNotMatch(shown('a · b'), /<bdi/);
  });

  it("that is a time is in UTC, for a script to convert to the reader's zone", () => {
    const html = String(renderFragment(<Time at={Date.UTC(2026, 0, 2, 3, 4, 5, 6)} />));
    assert.match(html, /datetime="2026-01-02T03:04:05\.006Z"/i);
    assert.equal(textOf(html), '2026-01-02 03:04:05.006 UTC');
    assert.match(String(renderFragment(<Time at={Number.NaN} />)), /1970-01-01/);
  });

  it('can be copied unchanged if scripts run', () => {
    const html = shown({ text: '<b> & "c"', copy: true });
    assert.match(html, /<button type="button" class="copy" data-copy="&lt;b[>&]/);
    assert.match(html, / hidden/);
    const key = String(renderFragment(<CopyButton text="a" label="Copy" shortcut="y" />));
    assert.match(key, /data-key="y"/);
  });
});

describe('differences between two requests', () => {
  it('have colours for the side that worked and the one that failed', () => {
    const differences = [{ text: '<id>', sides: ['8', '<b>'] as const }, { text: 'headers: accept' }];
    assert.match(
      shown({ text: 'in words', differences }),
      /&lt;id>: <span class="worked">8<\/span> → <span class="failed">&lt;b><\/span>\nheaders: accept/,
    );
  });
});
