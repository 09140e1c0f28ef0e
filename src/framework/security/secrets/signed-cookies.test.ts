import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest, HttpResponse } from '#core/http';
import { createSigner, equalSecrets, createSignedCookies, type SignedCookie } from './signed-cookies.js';

const old = 'o'.repeat(32);

const fresh = 'f'.repeat(32);

describe('createSigner', () => {
  it('accepts what it signed, for the same purpose and text only', () => {
    const signer = createSigner(fresh, 'the test');
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (purpose, text, other) => {
        const signature = signer.sign(purpose, text);
        assert.ok(signer.verify(purpose, text, signature));
        if (other !== text) assert.ok(!signer.verify(purpose, other, signature));
        if (other !== purpose) assert.ok(!signer.verify(other, text, signature));
        assert.ok(!signer.verify(purpose, text, signature.slice(1)));
      }),
    );
  });

  it('does not confuse the boundary between purpose and text', () => {
    const signer = createSigner(fresh, 'the test');
    assert.notEqual(signer.sign('ab', 'c'), signer.sign('a', 'bc'));
  });

  it('verifies with an old secret and signs with the first', () => {
    const before = createSigner(old, 'the test').sign('p', 't');
    const both = createSigner([fresh, old], 'the test');
    assert.ok(both.verify('p', 't', before));
    assert.notEqual(both.sign('p', 't'), before);
    assert.ok(!createSigner(fresh, 'the test').verify('p', 't', before));
  });

  it('refuses a guessable secret', () => {
    assert.throws(() => createSigner('changeme', 'the test'), { code: 'SECURITY_WEAK_SECRET' });
    assert.throws(() => createSigner([], 'the test'), { code: 'SECURITY_SECRET_MISSING' });
  });
});

describe('equalSecrets', () => {
  it('compares texts of any length', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => equalSecrets(a, b) === (a === b)));
  });
});

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
  it('return any text that was set', () => {
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

  it('expire, even if the browser keeps them', () => {
    const over = pairOf(setBy(cookies, { name: 'basket', value: 'x', lifetimeSeconds: -1 }));
    assert.equal(cookies.get(ask(over), 'basket'), undefined);
    assert.match(setBy(cookies, { name: 'basket', value: 'x', lifetimeSeconds: 60 }), /; Max-Age=60;/);
    assert.match(setBy(cookies, { name: 'basket', value: 'x' }), /; Max-Age=2592000;/);
  });

  it('are read with an older secret and written with the first', () => {
    const old = pairOf(setBy(cookies, { name: 'basket', value: 'kept' }));
    const now = createSignedCookies({ secret: ['another secret of 32 characters!!', secret] });
    assert.equal(now.get(ask(old), 'basket'), 'kept');
    const fresh = pairOf(setBy(now, { name: 'basket', value: 'new' }));
    assert.equal(cookies.get(ask(fresh), 'basket'), undefined);
  });

  it('are only for this site’s own pages, and on HTTPS only sent there', () => {
    assert.match(setBy(cookies, { name: 'a', value: '' }), /; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    assert.match(setBy(cookies, { name: 'a', value: '' }, true), /; Secure; HttpOnly;/);
    const response = new HttpResponse();
    cookies.remove(ask(''), response, { name: 'a', path: '/shop' });
    assert.match(response.headers.get('set-cookie') ?? '', /^a=; Path=\/shop; Max-Age=0;/);
  });

  it('are refused if browsers would drop them', () => {
    assert.throws(() => setBy(cookies, { name: 'big', value: 'x'.repeat(4000) }), {
      code: 'SECURITY_COOKIE_TOO_BIG',
    });
    assert.throws(() => createSignedCookies({ secret: 'short' }), { code: 'SECURITY_WEAK_SECRET' });
    assert.throws(() => createSignedCookies({ secret: [] }), { code: 'SECURITY_SECRET_MISSING' });
  });
});
