import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpResponse } from '#core/http';
import { CookieJar } from './cookie-jar.js';

function jarOf(...cookies: readonly string[]): CookieJar {
  const jar = new CookieJar();
  for (const cookie of cookies) jar.keep(cookie);
  return jar;
}

describe("a test client's cookies", () => {
  it('are sent back as an application set them', () => {
    const name = fc.string({
      unit: fc.constantFrom(...'abcABC019_-.!#$'.split('')),
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(name, fc.string({ unit: 'grapheme', maxLength: 20 }), (key, value) => {
        const [cookie = ''] = HttpResponse.empty().setCookie(key, value).headers.getAll('set-cookie');
        assert.equal(jarOf(cookie).header('/'), `${key}=${encodeURIComponent(value.toWellFormed())}`);
      }),
    );
  });

  it('are sent to their path and below', () => {
    const jar = jarOf('a=1; Path=/admin', 'b=2; Path=/', 'c=3');
    assert.equal(jar.header('/'), 'b=2; c=3');
    assert.equal(jar.header('/admin'), 'a=1; b=2; c=3');
    assert.equal(jar.header('/admin/x'), 'a=1; b=2; c=3');
    assert.equal(jar.header('/administrator'), 'b=2; c=3');
    assert.equal(jarOf('a=1; Path=/admin/').header('/admin/x'), 'a=1');
    assert.equal(jarOf('a=1; Path=/x').header('/'), undefined);
  });

  it('with one name and several paths are separate cookies, the longer path first', () => {
    const jar = jarOf('a=root; Path=/', 'a=admin; Path=/admin');
    assert.equal(jar.header('/'), 'a=root');
    assert.equal(jar.header('/admin'), 'a=admin; a=root');
    jar.keep('a=; Path=/admin; Max-Age=0');
    assert.equal(jar.header('/admin'), 'a=root', 'only the cookie with this path is removed');
    assert.equal(jar.get('a'), 'root');
  });

  it('are removed by an expiry in the past, and by nothing else', () => {
    for (const end of [
      'Max-Age=0',
      'Max-Age=-1',
      'Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'max-age=0; Expires=Fri, 01 Jan 2100 00:00:00 GMT',
    ])
      assert.equal(jarOf('a=1', `a=; ${end}`).get('a'), undefined, end);
    // RFC 6265, section 5.2.2: a value that is not a number is ignored.
    for (const end of [
      'Max-Age=3600',
      'Max-Age=',
      'Max-Age=soon',
      'Expires=never',
      'Expires=Fri, 01 Jan 2100 00:00:00 GMT',
      'Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'Max-Age',
    ])
      assert.equal(jarOf('a=1', `a=2; ${end}`).get('a'), '2', end);
    assert.equal(
      jarOf('a=1', 'a=2; Max-Age=soon; Expires=Thu, 01 Jan 1970 00:00:00 GMT').get('a'),
      undefined,
    );
  });

  it('have the root path if theirs is invalid, as for a page at the root', () => {
    for (const path of ['Path', 'Path=', 'Path=admin'])
      assert.equal(jarOf(`a=1; ${path}`).header('/x'), 'a=1', path);
  });

  it('ignore invalid Set-Cookie values', () => {
    for (const text of ['', 'a', '=1', ';', '; Path=/', ' =x; Secure'])
      assert.equal(jarOf(text).header('/'), undefined, JSON.stringify(text));
    assert.equal(jarOf(' a = b=c ; Path=/').header('/'), 'a=b=c');
  });

  it('belong to the host that set them, or to its Domain; one for another domain is ignored', () => {
    const jar = new CookieJar();
    for (const [cookie, host] of [
      ['a=1', 'shop.example'],
      ['b=2; Domain=shop.example', 'www.shop.example'],
      ['c=3; Domain=.shop.example', 'shop.example'],
      ['d=4; Domain=other.example', 'shop.example'],
      ['e=5; Domain=hop.example', 'shop.example'],
      ['f=6; Domain=www.shop.example', 'shop.example'],
    ] as const)
      jar.keep(cookie, host);
    assert.equal(jar.header('/', 'shop.example'), 'a=1; b=2; c=3');
    assert.equal(jar.header('/', 'www.shop.example'), 'b=2; c=3');
    assert.equal(jar.header('/', 'other.example'), undefined);
    assert.equal(jarOf('a=1; Domain=other.example').header('/'), undefined);
    assert.equal(jarOf('a=1; Domain=localhost').header('/'), 'a=1');
    jar.keep('a=; Max-Age=0', 'shop.example');
    assert.equal(jar.header('/', 'shop.example'), 'b=2; c=3');
  });

  it('can be set and cleared by the test', () => {
    const jar = jarOf('a=1');
    jar.set('b', '2');
    jar.set('a', '3');
    assert.equal(jar.header('/deep/path'), 'a=3; b=2');
    jar.clear();
    assert.equal(jar.header('/'), undefined);
  });
});
