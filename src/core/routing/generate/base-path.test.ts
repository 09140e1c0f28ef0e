import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseBasePath, withoutBasePath } from './base-path.js';
import { compileRoutes } from '../compile/compile-routes.js';
import { createRoutes } from '../define/route-collection.js';
import { generateUrl } from './generate-url.js';

describe('a base path', () => {
  it('is a path with plain segments, without a trailing slash', () => {
    for (const [text, path] of [
      ['', ''],
      ['/', ''],
      ['/app', '/app'],
      ['/app/', '/app'],
      ['/tools/v1.0/~ada/a@b:c', '/tools/v1.0/~ada/a@b:c'],
      ['/caf%C3%A9', '/caf%C3%A9'],
      ['/...', '/...'],
      [`/${'a'.repeat(199)}`, `/${'a'.repeat(199)}`],
    ] as const)
      assert.equal(parseBasePath(text), path);
    for (const text of [
      'app',
      '//',
      '//a',
      '/a//',
      '/.',
      '/a/..',
      '/%2E%2e',
      '/a%2fb',
      '/a%5Cb',
      '/%',
      '/%ff',
      '/a%00',
      `/${'a'.repeat(200)}`,
    ])
      assert.equal(parseBasePath(text), undefined, text);
  });

  it('never leads to another host, path or field, whatever follows it', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '%2F',
      '%5c',
      'a',
      ':',
      '@',
      ';',
      ',',
      '\r\n',
      ' ',
      '?',
      '#',
      '%',
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.oneof(text, fc.string(), fc.webPath()), (given) => {
        const path = parseBasePath(given);
        if (path === undefined) return;
        assert.doesNotMatch(path, /[;,\s\\]|\/$|\/\//);
        const url = new URL(`${path}/x`, 'https://site.example/here');
        assert.equal(url.href, `https://site.example${path}/x`);
      }),
      { numRuns: 3000 },
    );
  });

  it('is removed by whole segments, compared decoded', () => {
    for (const [rawPath, basePath, rest] of [
      ['/app/x', '/app', '/x'],
      ['/app', '/app', ''],
      ['/app/', '/app', '/'],
      ['/app//x', '/app', '//x'],
      ['/%61pp/x', '/app', '/x'],
      ['/a/b/c', '/a/b', '/c'],
      ['/a/b', '', '/a/b'],
      ['/apple', '/app', undefined],
      ['/a%2Fb/c', '/a/b', undefined],
      ['/a', '/a/b', undefined],
      ['/App', '/app', undefined],
      ['/%zz/x', '/app', undefined],
    ] as const)
      assert.equal(withoutBasePath(rawPath, basePath), rest, rawPath);
  });

  it('begins every generated URL, and a malformed one is refused', () => {
    const routes = compileRoutes(createRoutes([{ name: 'a', path: '/a/{x?1}', target: 1 }]));
    const urlOf = (basePath: string, type: 'path' | 'absolute' | 'network'): string =>
      generateUrl(routes, 'a', { q: 1 }, { type, context: { basePath, host: 'a.org' } });
    assert.equal(urlOf('/app/', 'path'), '/app/a?q=1');
    assert.equal(urlOf('/app', 'absolute'), 'http://a.org/app/a?q=1');
    assert.equal(urlOf('/app', 'network'), '//a.org/app/a?q=1');
    for (const bad of ['//evil.example', '/..', 'app'])
      assert.throws(() => urlOf(bad, 'path'), {
        code: 'ROUTING_UNSAFE_URL',
        message: /is not a valid base path/,
      });
  });
});
