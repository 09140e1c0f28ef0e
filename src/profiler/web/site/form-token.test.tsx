import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { renderFragment } from '#html';
import { HttpRequest, HttpResponse, type RequestSource } from '#http';
import { runInScope } from '#scope';
import { ActionForm } from '../blocks/controls.js';
import {
  addFormCookie,
  cookiesOfApplication,
  currentFormToken,
  foreignForm,
  prepareFormToken,
} from './form-token.js';

const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const anyText = fc.string({ unit: anyCharacter, maxLength: 20 });

const token = 'A'.repeat(22);

function requestOf(
  headers: Readonly<Record<string, string>> = {},
  changes: Partial<RequestSource> = {},
): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/_profiler/',
    rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
    ...changes,
  });
}

describe('a form of the profiler’s pages', () => {
  const own = { origin: 'http://a.test', 'sec-fetch-site': 'same-origin', cookie: `lookback_form=${token}` };

  it('is taken from its own page alone, with the token of the browser', () => {
    assert.equal(foreignForm(requestOf(own), token), undefined);
    assert.equal(foreignForm(requestOf({ ...own, origin: 'http://a.test' }), token), undefined);
    const { origin, cookie, 'sec-fetch-site': site } = own;
    assert.equal(foreignForm(requestOf({ origin, cookie }), token), undefined);
    assert.equal(foreignForm(requestOf({ 'sec-fetch-site': site, cookie }), token), undefined);
    const refused: readonly (readonly [Readonly<Record<string, string>>, string | undefined, RegExp])[] = [
      [{ cookie }, token, /which page/],
      [{ ...own, origin: 'http://b.test' }, token, /another origin/],
      [{ ...own, origin: 'https://a.test' }, token, /another origin/],
      [{ ...own, origin: 'null' }, token, /another origin/],
      [{ ...own, 'sec-fetch-site': 'same-site' }, token, /another origin/],
      [{ ...own, 'sec-fetch-site': 'none' }, token, /another origin/],
      [{ origin }, token, /cookie of the form/],
      [{ ...own, cookie: 'lookback_form=short' }, 'short', /cookie of the form/],
      [own, undefined, /token of the form is missing/],
      [own, '', /token of the form is missing/],
      [own, `${token}A`, /token of the form is missing/],
      [own, 'B'.repeat(22), /not that of this browser/],
    ];
    for (const [headers, given, words] of refused)
      assert.match(foreignForm(requestOf(headers), given) ?? '', words, JSON.stringify(headers));
  });

  it('has no token that can be guessed: every other one is refused', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.stringMatching(/^[\w-]{22}$/)), (given) => {
        assert.equal(foreignForm(requestOf(own), given) === undefined, given === token);
      }),
    );
  });

  /** What a page with a form, or without one, sends as its cookie. */
  const cookieOf = (
    headers: Readonly<Record<string, string>>,
    changes: Partial<RequestSource> = {},
    hasForm = true,
  ): readonly [cookie: string | undefined, shown: string] => {
    const request = requestOf(headers, changes);
    return runInScope(request.scope, () => {
      prepareFormToken(request, '/_profiler');
      const shown = hasForm ? currentFormToken() : '';
      const response = new HttpResponse('');
      addFormCookie(response);
      return [response.headers.get('set-cookie'), shown] as const;
    });
  };

  it('gives the browser its cookie once, with the first form, and to no other page', () => {
    const [cookie = '', shown] = cookieOf({});
    assert.match(shown, /^[\w-]{22}$/);
    assert.ok(cookie.startsWith(`lookback_form=${shown};`), cookie);
    for (const part of [/; Path=\/_profiler(?:;|$)/, /; SameSite=Strict/, /; HttpOnly/])
      assert.match(cookie, part);
    assert.doesNotMatch(cookie, /Secure/);
    assert.notEqual(cookieOf({})[1], shown);
    assert.deepEqual(cookieOf({ cookie: `lookback_form=${token}` }), [undefined, token]);
    assert.equal(cookieOf({}, {}, false)[0], undefined);
    assert.notEqual(cookieOf({ cookie: 'lookback_form=<script>' })[1], '<script>');
    const encrypted = { address: '127.0.0.1', port: 1, encrypted: true };
    assert.match(cookieOf({}, { peer: encrypted })[0] ?? '', /; Secure/);
  });

  it('outside of a page has no token', () => {
    assert.equal(currentFormToken(), '');
  });

  it('is markup in which no value is more than a value', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (action, name, value) => {
        const hostile = `${value}"><script>`;
        const html = String(
          renderFragment(<ActionForm action={action} label={hostile} fields={{ [`f${name}`]: hostile }} />),
        );
        assert.equal(
          html.split('<').length,
          '<form><input/><input/><button></button></form>'.split('<').length,
          html,
        );
        assert.doesNotMatch(html, /<script/);
      }),
    );
  });

  it('is sent on without the profiler’s own cookies', () => {
    assert.equal(
      cookiesOfApplication('a=1; lookback_form=x;lookback_lang=de; b=lookback_form; lookback_previous=1'),
      'a=1; b=lookback_form',
    );
    assert.equal(cookiesOfApplication(''), '');
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,4}=[\w ]{0,4}[\w]$/), { maxLength: 4 }), (pairs) => {
        assert.equal(cookiesOfApplication(['lookback_form=x', ...pairs].join('; ')), pairs.join('; '));
      }),
    );
  });
});
