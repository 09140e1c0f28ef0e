import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpResponse, locationOf } from './http-response.js';
import { ResponseHeaders } from './response-headers.js';

describe('redirects', () => {
  it('stay on the site', () => {
    for (const target of ['/', '/a?b=c#d', '?page=2', 'next', '/@evil.example', './a:b', '/%5c%5cevil']) {
      assert.equal(HttpResponse.redirect(target).headers.get('location'), target);
    }
    for (const [target, location] of [
      ['/a?b\\c', '/a?b%5Cc'],
      ['/a#\\\\b', '/a#%5C%5Cb'],
    ] as const)
      assert.equal(
        HttpResponse.redirect(target).headers.get('location'),
        location,
        'backslashes in the query or fragment',
      );
    const away = [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example/',
      'HTTP://evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      'JaVaScRiPt:x',
      '/\t/evil.example',
      '/\n/evil.example',
      '\\/evil.example',
      ' //evil.example',
      '\x00//evil.example',
      '\t/\r\n/evil.example',
      'ht\ttps://evil.example',
      'https:evil.example',
      'http:/evil.example',
    ];
    for (const target of away)
      assert.throws(
        () => HttpResponse.redirect(target),
        { code: 'HTTP_REDIRECT_UNSAFE' },
        JSON.stringify(target),
      );
  });

  it("encode visitors' text in their target", () => {
    for (const [target, location] of [
      ['/search?q=green tea', '/search?q=green%20tea'],
      ['/tags/green tea', '/tags/green%20tea'],
      ['/tags/a\\b?c', '/tags/a%5Cb?c'],
      ['/a\tb\u007f', '/a%09b%7F'],
      ['/a\r\nSet-Cookie: x=y', '/a%0D%0ASet-Cookie:%20x=y'],
      ['/a%zz %20', '/a%zz%20%20'],
      ['/a\u00a0\u2028\ud800', '/a%C2%A0%E2%80%A8%EF%BF%BD'],
      ['#a b', '#a%20b'],
    ] as const)
      assert.equal(HttpResponse.redirect(target).headers.get('location'), location);
    const external = HttpResponse.redirect('https://b.example/x y?a\\b', { external: true });
    assert.equal(external.headers.get('location'), 'https://b.example/x%20y?a%5Cb');
  });

  it('without a target are refused', () => {
    for (const external of [true, false])
      assert.throws(() => HttpResponse.redirect('', { external }), {
        code: 'HTTP_REDIRECT_UNSAFE',
        message: /"" is empty/,
      });
  });

  it('with external leave it for http(s) only', () => {
    assert.equal(
      HttpResponse.redirect('https://b.example/x', { external: true }).headers.get('location'),
      'https://b.example/x',
    );
    for (const target of [
      'javascript:x',
      'ftp://b.example/',
      '//b.example',
      'https://user@b.example/',
      'https:///x',
      'https://b.example\\@evil.example/',
      'https://b.example\t/',
      'https://b example/',
      ' https://b.example/',
    ]) {
      assert.throws(
        () => HttpResponse.redirect(target, { external: true }),
        { code: 'HTTP_REDIRECT_UNSAFE' },
        target,
      );
    }
  });

  it('keep a browser on the site, for any accepted target', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom(...'/\\:@?#.\t\nahtps'.split('')) }),
          fc.webUrl(),
        ),
        (target) => {
          let location: string;
          try {
            location = HttpResponse.redirect(target).headers.get('location') ?? '';
          } catch {
            return;
          }
          assert.equal(new URL(location, 'https://site.example/here').host, 'site.example', location);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("to another path of a request encode that path's backslashes", () => {
    assert.equal(locationOf('/a\\b/', ''), '/a%5Cb/');
    assert.equal(HttpResponse.redirect(locationOf('/\\host', 'c=d')).headers.get('location'), '/%5Chost?c=d');
  });

  it('have a body that cannot become markup, and the given status', () => {
    const response = HttpResponse.redirect('/<script>', { status: 308 });
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), response.headers.get('x-content-type-options')],
      [308, 'text/plain; charset=utf-8', 'nosniff'],
    );
    assert.equal(HttpResponse.redirect('/é').headers.get('location'), '/%C3%A9');
  });
});

describe('kinds of responses', () => {
  it('set their type unless the headers do', () => {
    assert.equal(HttpResponse.html('<p>').headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(HttpResponse.json(undefined).body, 'null');
    assert.equal(
      HttpResponse.json({}, { headers: { 'content-type': 'application/problem+json' } }).headers.getAll(
        'Content-Type',
      ).length,
      1,
    );
    assert.deepEqual([HttpResponse.empty().status, HttpResponse.empty().body], [204, null]);
  });

  it('refuse content for a status that has none, and then have no type', () => {
    for (const status of [204, 205, 304]) {
      for (const create of [
        () => HttpResponse.json({ saved: true }, { status }),
        () => HttpResponse.json(false, { status }),
        () => HttpResponse.text('saved', { status }),
        () => HttpResponse.html('<p>', { status }),
        () => HttpResponse.stream(letters(), { status }),
      ])
        assert.throws(create, { code: 'HTTP_CONTENT_UNSENDABLE', message: new RegExp(`status ${status} `) });
      for (const { body, headers } of [
        HttpResponse.json(undefined, { status }),
        HttpResponse.json(null, { status }),
        HttpResponse.text('', { status }),
        HttpResponse.html('', { status }),
        HttpResponse.stream(null, { status }),
      ])
        assert.deepEqual([body === null || body === '', headers.has('content-type')], [true, false]);
    }
  });

  it('convert to the web standard and back: status, body, separate cookies', async () => {
    const response = HttpResponse.text('é', { status: 201 })
      .setCookie('a', '1')
      .setCookie('b', '2')
      .clearCookie('c');
    const web = response.toWeb();
    assert.deepEqual([web.status, web.headers.getSetCookie().length], [201, 3]);
    const back = HttpResponse.fromWeb(web);
    assert.deepEqual([back.status, back.headers.getAll('set-cookie').length], [201, 3]);
    assert.equal(await back.toWeb().text(), 'é');
    assert.equal(await new HttpResponse(letters()).toWeb().text(), 'ab');
    assert.equal(await new HttpResponse(new Uint8Array([65])).toWeb().text(), 'A');
    assert.equal(new HttpResponse('x', { status: 204 }).toWeb().body, null);
  });
});

async function* letters(): AsyncGenerator<string> {
  yield 'a';
  yield 'b';
}

describe('response headers', () => {
  it('cannot be split by any name or value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const set of [
          (headers: ResponseHeaders): void => headers.set('X', text),
          (headers: ResponseHeaders): void => headers.set(text, 'x'),
          (headers: ResponseHeaders): void => headers.append('X', text),
        ]) {
          const headers = new ResponseHeaders();
          try {
            set(headers);
          } catch (error) {
            assert.ok(error instanceof TypeError);
          }
          const written = headers.flat.join('');
          assert.ok(!/[\r\n]/.test(written) && !written.includes('\0'));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('set replaces all of a name, in any case; addToken adds once', () => {
    const headers = new ResponseHeaders([
      ['a', '1'],
      ['B', '2'],
      ['A', '3'],
    ]);
    headers.set('A', '4');
    assert.deepEqual(
      [...headers],
      [
        ['A', '4'],
        ['B', '2'],
      ],
    );
    headers.addToken('Vary', 'Accept');
    headers.addToken('vary', 'ACCEPT');
    headers.addToken('Vary', 'Cookie');
    assert.equal(headers.get('vary'), 'Accept, Cookie');
    headers.delete('VARY');
    assert.equal(headers.has('Vary'), false);
  });
});
