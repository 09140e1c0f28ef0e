import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest, HttpResponse } from '#http';
import { createSignedCookies, type SignedCookie } from './signed-cookies.js';

const secret = 'a secret of thirty-two characters!';
const cookies = createSignedCookies({ secret });

function ask(cookie: string, encrypted = false): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/',
    rawHeaders: ['Host', 'localhost', ...(cookie === '' ? [] : ['Cookie', cookie])],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted },
  });
}

function setBy(by: typeof cookies, cookie: SignedCookie, encrypted = false): string {
  const response = new HttpResponse();
  by.set(ask('', encrypted), response, cookie);
  return response.headers.get('set-cookie') ?? '';
}

const pairOf = (setCookie: string): string => setCookie.split(';')[0] ?? '';

describe('signed cookies', () => {
  it('give back any text that was set', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (value) => {
        const pair = pairOf(setBy(cookies, { name: 'basket', value }));
        assert.equal(cookies.get(ask(pair), 'basket'), value.toWellFormed());
      }),
    );
  });

  it('are bound to their name, their secret and every character', () => {
    const pair = pairOf(setBy(cookies, { name: 'basket', value: 'three apples' }));
    const text = pair.slice(pair.indexOf('=') + 1);
    assert.equal(cookies.get(ask(`other=${text}`), 'other'), undefined);
    const foreign = createSignedCookies({ secret: secret.toUpperCase() });
    assert.equal(foreign.get(ask(pair), 'basket'), undefined);
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), fc.constantFrom('A', '9', '.', '_'), (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        if (changed !== text) assert.equal(cookies.get(ask(`basket=${changed}`), 'basket'), undefined);
      }),
    );
  });

  it('end, whatever the browser keeps', () => {
    const over = pairOf(setBy(cookies, { name: 'basket', value: 'x', lifetimeSeconds: -1 }));
    assert.equal(cookies.get(ask(over), 'basket'), undefined);
    assert.match(setBy(cookies, { name: 'basket', value: 'x', lifetimeSeconds: 60 }), /; Max-Age=60;/);
    assert.match(setBy(cookies, { name: 'basket', value: 'x' }), /; Max-Age=2592000;/);
  });

  it('are read under an older secret and written under the first', () => {
    const old = pairOf(setBy(cookies, { name: 'basket', value: 'kept' }));
    const now = createSignedCookies({ secret: ['another secret of 32 characters!!', secret] });
    assert.equal(now.get(ask(old), 'basket'), 'kept');
    const fresh = pairOf(setBy(now, { name: 'basket', value: 'new' }));
    assert.equal(cookies.get(ask(fresh), 'basket'), undefined);
  });

  it('are for this site’s own pages, and on HTTPS only there', () => {
    assert.match(setBy(cookies, { name: 'a', value: '' }), /; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    assert.match(setBy(cookies, { name: 'a', value: '' }, true), /; Secure; HttpOnly;/);
    const response = new HttpResponse();
    cookies.remove(ask(''), response, { name: 'a', path: '/shop' });
    assert.match(response.headers.get('set-cookie') ?? '', /^a=; Path=\/shop; Max-Age=0;/);
  });

  it('that browsers would drop are refused', () => {
    assert.throws(() => setBy(cookies, { name: 'big', value: 'x'.repeat(4000) }), {
      code: 'SECURITY_COOKIE_TOO_BIG',
    });
    assert.throws(() => createSignedCookies({ secret: 'short' }), { code: 'SECURITY_WEAK_SECRET' });
    assert.throws(() => createSignedCookies({ secret: [] }), { code: 'SECURITY_SECRET_MISSING' });
  });
});
