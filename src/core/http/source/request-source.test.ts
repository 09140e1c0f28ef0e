import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { withoutPseudoHeaders, assertTarget, readRequestTarget } from './request-source.js';

describe('withoutPseudoHeaders', () => {
  it("keeps an HTTP/2 request's fields in order, including repeated ones", () => {
    assert.deepEqual(
      withoutPseudoHeaders([
        ':method',
        'GET',
        'x-forwarded-for',
        '192.0.2.1',
        ':path',
        '/',
        'cookie',
        'a=1',
        'x-forwarded-for',
        '192.0.2.2',
        'cookie',
        'b=2',
      ]),
      ['x-forwarded-for', '192.0.2.1', 'cookie', 'a=1', 'x-forwarded-for', '192.0.2.2', 'cookie', 'b=2'],
    );
  });
});

describe('a request target', () => {
  it('has the forms from RFC 9112, section 3.2', () => {
    const rows: [
      method: string,
      target: string,
      expected: [form: string, authority: string | undefined, path: string, query: string],
    ][] = [
      ['GET', '/', ['origin', undefined, '/', '']],
      ['GET', '/a?b=c?d', ['origin', undefined, '/a', 'b=c?d']],
      ['GET', '/a?', ['origin', undefined, '/a', '']],
      ['GET', '//evil.example/a', ['origin', undefined, '//evil.example/a', '']],
      ['GET', 'http://a:8000/b?c', ['absolute', 'a:8000', '/b', 'c']],
      ['GET', 'HTTPS://a', ['absolute', 'a', '/', '']],
      ['GET', 'http://a?b', ['absolute', 'a', '/', 'b']],
      ['GET', 'http://a/b/?', ['absolute', 'a', '/b/', '']],
      ['CONNECT', 'a:443', ['unknown', undefined, 'a:443', '']],
      ['OPTIONS', '*', ['asterisk', undefined, '*', '']],
      ['GET', '*', ['unknown', undefined, '*', '']],
      ['GET', 'ftp://a/b', ['unknown', undefined, 'ftp://a/b', '']],
      ['GET', 'a?b', ['unknown', undefined, 'a', 'b']],
      ['GET', '', ['unknown', undefined, '', '']],
    ];
    for (const [method, target, expected] of rows) {
      const { form, authority, rawPath, rawQuery } = readRequestTarget(method, target);
      assert.deepEqual([form, authority, rawPath, rawQuery], expected, `${method} ${target}`);
    }
  });

  it('can be reassembled from its parts', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab/%?&=:@.'.split('')), maxLength: 12 });
    fc.assert(
      fc.property(text, (rest) => {
        const { form, rawPath, rawQuery } = readRequestTarget('GET', `/${rest}`);
        assert.equal(form, 'origin');
        assert.equal(rest.includes('?') ? `${rawPath}?${rawQuery}` : rawPath, `/${rest}`);
      }),
    );
  });

  it('of an absolute form agrees with the URL parser', () => {
    const path = fc.string({ unit: fc.constantFrom(...'abc/~_-=&'.split('')), maxLength: 10 });
    fc.assert(
      fc.property(fc.domain(), path, path, (host, way, query) => {
        const target = `http://${host}/${way}?${query}`;
        const read = readRequestTarget('GET', target);
        const url = new URL(target);
        assert.deepEqual(
          [read.authority?.toLowerCase(), read.rawPath, read.rawQuery],
          [url.host, `/${way}`, query],
        );
      }),
    );
  });

  it('is refused if invalid, and the error locates the characters to encode', () => {
    const problem = (target: string): string => {
      try {
        assertTarget(target, readRequestTarget('GET', target));
        return '';
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
    };
    for (const good of ['/', '/%20', '/a?b[]=1', 'http://a/b', "/a'b"]) assert.equal(problem(good), '', good);
    assert.match(problem('/a b'), /position 2 /);
    assert.match(problem('/é'), /position 1 /);
    assert.match(problem('/a\tb'), /position 2 /);
    assert.match(problem('/a#b'), /fragment/);
    assert.match(problem('http://a/#b'), /fragment/);
    assert.match(problem('a/b'), /neither a path nor an http URL/);
  });
});
