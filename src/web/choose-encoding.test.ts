import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseEncoding } from './choose-encoding.js';
import { isCompressibleType } from './compressible-type.js';
import { createPathMatcher } from './path-matcher.js';
import { HttpRequest } from '#http';

describe('chooseEncoding', () => {
  it('takes what the client likes best, then what stands first', () => {
    const offered = ['br', 'zstd', 'gzip'] as const;
    const cases: [accept: string | undefined, expected: string | undefined][] = [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['gzip;q=1.0, br;q=0.5', 'gzip'],
      ['*', 'br'],
      ['*;q=0.5, br;q=0', 'zstd'],
      ['br;q=0, gzip;q=0', undefined],
      ['identity', undefined],
      ['identity;q=0.5, gzip;q=0.8', 'gzip'],
      ['identity;q=0.9, gzip;q=0.8', undefined],
      ['deflate', undefined],
      ['', undefined],
      [undefined, undefined],
    ];
    for (const [accept, expected] of cases) assert.equal(chooseEncoding(accept, offered), expected, accept);
    assert.equal(chooseEncoding('br', []), undefined);
  });
});

describe('isCompressibleType', () => {
  it('is true for text in all its forms, and false for what is compressed already', () => {
    for (const type of [
      'text/html; charset=utf-8',
      'application/json',
      'application/problem+json',
      'image/svg+xml',
      'Text/Plain',
      'application/wasm',
    ])
      assert.equal(isCompressibleType(type), true, type);
    for (const type of [
      'image/png',
      'application/zip',
      'video/mp4',
      'application/octet-stream',
      'font/woff2',
      '',
      undefined,
    ])
      assert.equal(isCompressibleType(type), false, type);
  });
});

describe('createPathMatcher', () => {
  const at = (target: string): HttpRequest =>
    new HttpRequest({
      method: 'GET',
      target,
      rawHeaders: ['host', 'localhost'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });

  it('means a path and what is below it, however it is spelled', () => {
    const isMeant = createPathMatcher(['/api', '/files/']);
    for (const path of ['/api', '/api/', '/api/x', '/%61pi/x', '/files', '/files/a?b'])
      assert.equal(isMeant(at(path)), true, path);
    for (const path of ['/', '/apis', '/x/api', '/file']) assert.equal(isMeant(at(path)), false, path);
    assert.equal(createPathMatcher(undefined)(at('/x')), true);
    assert.equal(createPathMatcher(['/'])(at('/x')), true);
    assert.equal(createPathMatcher([])(at('/x')), false);
  });
});
