import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import { isNotModified, isRangeCurrent } from './etag.js';

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

describe('preconditions', () => {
  it('If-None-Match compares weakly and overrides If-Modified-Since', () => {
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

  it('If-Modified-Since compares seconds, and an invalid date is ignored', () => {
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

  it('If-Range requires exactly the same version', () => {
    assert.equal(isRangeCurrent(request({}), known), true);
    assert.equal(isRangeCurrent(request({ 'If-Range': '"abc"' }), known), true);
    assert.equal(isRangeCurrent(request({ 'If-Range': 'W/"abc"' }), known), false);
    const weak = { ...known, etag: 'W/"abc"' };
    for (const tag of ['"abc"', 'W/"abc"'])
      assert.equal(isRangeCurrent(request({ 'If-Range': tag }), weak), false);
    assert.equal(isRangeCurrent(request({ 'If-Range': '"x"' }), known), false);
    assert.equal(isRangeCurrent(request({ 'If-Range': date }), known), true);
    assert.equal(isRangeCurrent(request({ 'If-Range': later }), known), false);
    assert.equal(isRangeCurrent(request({ 'If-Range': 'nonsense' }), known), false);
  });
});
