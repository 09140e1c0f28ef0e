import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import { compileRoutes } from '../compile/compile-routes.js';
import { generateUrl } from './generate-url.js';
import { createRoutes } from '../define/route-collection.js';

const compiled = compileRoutes(
  createRoutes((routes) => {
    routes.add({ name: 'blog', path: '/blog/{page<\\d+>?1}' });
    routes.add({ name: 'post', path: '/post/{slug}.{_format?html}' });
    routes.add({ name: 'file', path: '/{path<.*>}' });
    routes.add({ name: 'about', path: { en: '/en/about', fr: '/fr/a-propos' } });
    routes.add({ name: 'shop', path: '/', host: '{shop}.example.org' });
    routes.add({ name: 'imp', path: '/imp/{!x?1}' });
  }),
);

function fails(code: string, run: () => unknown): void {
  assert.throws(run, (error) => isCodedError(error) && error.code === code);
}

describe('generateUrl', () => {
  it('omits defaults and puts extra values into the query', () => {
    assert.equal(generateUrl(compiled, 'blog'), '/blog');
    assert.equal(generateUrl(compiled, 'blog', { page: 1 }), '/blog');
    assert.equal(
      generateUrl(compiled, 'blog', { page: 2, q: 'a b&c', list: [1, true, null] }),
      '/blog/2?q=a%20b%26c&list%5B0%5D=1&list%5B1%5D=1',
    );
    assert.equal(generateUrl(compiled, 'imp'), '/imp/1');
    assert.equal(generateUrl(compiled, 'post', { slug: 'x', _fragment: 'top' }), '/post/x#top');
    assert.equal(generateUrl(compiled, 'post', { slug: 'x', _fragment: 'a b' }), '/post/x#a%20b');
  });

  it("includes a port unless it is the scheme's default", () => {
    const url = (scheme: 'http' | 'https', port?: number): string =>
      generateUrl(
        compiled,
        'blog',
        {},
        { type: 'absolute', context: { host: 'a.example', scheme, ...(port !== undefined && { port }) } },
      );
    assert.deepEqual(
      [url('http'), url('http', 80), url('http', 443), url('https'), url('https', 443), url('https', 80)],
      [
        'http://a.example',
        'http://a.example',
        'http://a.example:443',
        'https://a.example',
        'https://a.example',
        'https://a.example:80',
      ].map((one) => `${one}/blog`),
    );
  });

  it('never returns a URL that leaves the site', () => {
    assert.equal(generateUrl(compiled, 'file', { path: '/evil.org' }), '/%2Fevil.org');
    assert.equal(generateUrl(compiled, 'file', { path: '\\evil.org' }), '/%5Cevil.org');
    fails('ROUTING_UNSAFE_URL', () => generateUrl(compiled, 'file', { path: 'a/../..' }));
    fails('ROUTING_PARAMETER_MISMATCH', () => generateUrl(compiled, 'blog', { page: '1\n' }));
    fails('ROUTING_UNSAFE_URL', () => generateUrl(compiled, 'shop', { shop: 'evil/' }));
  });

  it('selects locale and host', () => {
    assert.equal(generateUrl(compiled, 'about', { _locale: 'fr_CA' }), '/fr/a-propos');
    assert.equal(generateUrl(compiled, 'about', {}, { context: { locale: 'en' } }), '/en/about');
    assert.equal(generateUrl(compiled, 'shop', { shop: 'tea' }), '//tea.example.org/');
    assert.equal(
      generateUrl(compiled, 'blog', {}, { type: 'absolute', context: { port: 8080 } }),
      'http://localhost:8080/blog',
    );
  });

  it('names the wrong route or parameter', () => {
    fails('ROUTING_UNKNOWN_ROUTE', () => generateUrl(compiled, 'blgo'));
    assert.throws(() => generateUrl(compiled, 'blgo'), /Did you mean "blog"\?/);
    fails('ROUTING_MISSING_PARAMETERS', () => generateUrl(compiled, 'post'));
    assert.throws(() => generateUrl(compiled, 'post'), /slug/);
  });
});
