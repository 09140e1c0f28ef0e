import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromWebRequest, type HttpRequest, requestLocale } from '#http';
import { resolveArguments } from '../resolve-arguments.js';
import { cookieValue, currentLocale, currentRequest, fixedValue, headerValue } from './request-resolvers.js';

function get(url: string, init?: RequestInit): HttpRequest {
  return fromWebRequest(new Request(`http://a.example${url}`, init));
}

describe('the rest of the request', () => {
  it('header, cookie, locale, request, fixed value', () => {
    const request = get('/', { headers: { 'X-One': '1', cookie: 'a=b%20c' } });
    request.scope.set(requestLocale, 'de');
    const resolvers = [
      headerValue('x-one'),
      headerValue('x-two'),
      cookieValue('a'),
      cookieValue('toString'),
      currentLocale(),
      currentRequest(),
      fixedValue('clock', Date),
    ];
    assert.deepEqual(resolveArguments(resolvers, request), [
      '1',
      undefined,
      'b c',
      undefined,
      'de',
      request,
      Date,
    ]);
    assert.equal(currentLocale().resolve(get('/')), 'en');
  });
});
