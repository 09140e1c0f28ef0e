import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#http';
import { isNotModified, isRangeCurrent, chooseEncoding, isCompressibleType } from './choose-content.js';
import { createPathMatcher } from './web-extension.js';

const modified = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const date = 'Fri, 02 Jan 2026 03:04:05 GMT';
const earlier = 'Fri, 02 Jan 2026 03:04:04 GMT';
const later = 'Fri, 02 Jan 2026 03:04:06 GMT';
const known = { etag: '"abc"', modified };

function request(headers: Record<string, string>, method = 'GET'): HttpRequest {
  return new HttpRequest({
    method,
    target: '/',
    rawHeaders: Object.entries(headers).flat(),
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
}

describe('conditions of a request', () => {
  it('If-None-Match compares weakly and stands above If-Modified-Since', () => {
    for (const value of ['"abc"', 'W/"abc"', '"x", "abc"', '*', '"x",W/"abc"'])
      assert.equal(isNotModified(request({ 'If-None-Match': value }), known), true, value);
    for (const value of ['"ABC"', '"x"', 'abc', '', '"abc'])
      assert.equal(isNotModified(request({ 'If-None-Match': value }), known), false, value);
    assert.equal(
      isNotModified(request({ 'If-None-Match': '"x"', 'If-Modified-Since': later }), known),
      false,
    );
    assert.equal(isNotModified(request({ 'If-None-Match': '"abc"' }, 'HEAD'), known), true);
    assert.equal(isNotModified(request({ 'If-None-Match': '"abc"' }, 'POST'), known), false);
    assert.equal(
      isNotModified(request({ 'If-None-Match': '"a"' }), { etag: 'W/"a"', modified: undefined }),
      true,
    );
  });

  it('If-Modified-Since compares by the second, and what is no date says nothing', () => {
    assert.equal(isNotModified(request({ 'If-Modified-Since': date }), known), true);
    assert.equal(isNotModified(request({ 'If-Modified-Since': later }), known), true);
    assert.equal(isNotModified(request({ 'If-Modified-Since': earlier }), known), false);
    for (const value of [
      'yesterday',
      'Friday, 02-Jan-26 03:04:05 GMT',
      'Fri Jan  2 03:04:05 2026',
      'Friday, 02-Jan-2030 03:04:05 GMT',
      '2026-01-02',
      '1',
      '',
    ])
      assert.equal(isNotModified(request({ 'If-Modified-Since': value }), known), false, value);
    assert.equal(
      isNotModified(request({ 'If-Modified-Since': later }), { etag: undefined, modified: undefined }),
      false,
    );
  });

  it('If-Range wants exactly the same state', () => {
    assert.equal(isRangeCurrent(request({}), known), true);
    assert.equal(isRangeCurrent(request({ 'If-Range': '"abc"' }), known), true);
    assert.equal(isRangeCurrent(request({ 'If-Range': 'W/"abc"' }), known), false);
    assert.equal(isRangeCurrent(request({ 'If-Range': '"x"' }), known), false);
    assert.equal(isRangeCurrent(request({ 'If-Range': date }), known), true);
    assert.equal(isRangeCurrent(request({ 'If-Range': later }), known), false);
    assert.equal(isRangeCurrent(request({ 'If-Range': 'nonsense' }), known), false);
  });
});

describe('chooseEncoding', () => {
  it('takes what the client likes best, then what stands first', () => {
    const offered = ['br', 'zstd', 'gzip'] as const;
    const cases: [accept: string | undefined, expected: string | undefined][] = [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['x-gzip', 'gzip'],
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
