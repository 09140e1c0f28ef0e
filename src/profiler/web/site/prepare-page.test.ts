import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest, type RequestSource } from '#http';
import { currentLanguage } from '#phrases';
import { runInScope } from '#scope';
import { currentAddress, languageLink, preparePage } from './prepare-page.js';

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

describe('the language of a page', () => {
  const languageOf = (headers: Readonly<Record<string, string>>): string => {
    const request = requestOf(headers);
    assert.equal(preparePage(request, '/_profiler'), undefined);
    return runInScope(request.scope, () => currentLanguage());
  };

  it('is what the reader chose, else the first there is of those that the browser wants', () => {
    assert.equal(languageOf({}), 'en');
    assert.equal(languageOf({ 'accept-language': 'fr-CA,de;q=0.5' }), 'fr');
    assert.equal(languageOf({ 'accept-language': 'it,de;q=0.5,fr;q=0.9' }), 'fr');
    assert.equal(languageOf({ 'accept-language': 'de;q=0,it' }), 'en');
    assert.equal(languageOf({ 'accept-language': 'toString,__proto__' }), 'en');
    assert.equal(languageOf({ 'accept-language': 'fr', cookie: 'lookback_lang=de' }), 'de');
    assert.equal(languageOf({ 'accept-language': 'fr', cookie: 'lookback_lang=constructor' }), 'fr');
  });

  it('once chosen is kept in a cookie, and the page is requested without the choice', () => {
    const answer = preparePage(requestOf({}, { target: '/_profiler/?q=a%20b&_lang=de&x=1' }), '/_profiler');
    assert.deepEqual([answer?.status, answer?.headers.get('location')], [302, '?q=a+b&x=1']);
    const cookie = answer?.headers.get('set-cookie') ?? '';
    assert.match(cookie, /^lookback_lang=de;.*Path=\/_profiler/);
    const unknown = preparePage(
      requestOf({}, { target: '/_profiler/?_lang=xx%0d%0aSet-Cookie:a' }),
      '/_profiler',
    );
    assert.deepEqual(
      [unknown?.status, unknown?.headers.get('location'), unknown?.headers.get('set-cookie')],
      [302, '?', undefined],
    );
  });

  it('has a link to each other, with the rest of the query', () => {
    const request = requestOf(
      { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' },
      { target: '/_profiler/?q=a&page=2' },
    );
    preparePage(request, '/_profiler');
    runInScope(request.scope, () => {
      assert.equal(languageLink('fr'), '?q=a&page=2&_lang=fr');
      assert.deepEqual(currentAddress(), { query: 'q=a&page=2', isPane: true });
    });
    const foreign = requestOf({ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' });
    preparePage(foreign, '/_profiler');
    assert.equal(
      runInScope(foreign.scope, () => currentAddress().isPane),
      false,
    );
    assert.deepEqual(currentAddress(), { query: '', isPane: false });
  });
});
