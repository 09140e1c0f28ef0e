import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#http';
import { createPathMatcher } from './path-matcher.js';

function request(target = '/', headers: Record<string, string> = {}, address = '203.0.113.7'): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target,
    rawHeaders: Object.entries({ Host: 'example.org', ...headers }).flat(),
    httpVersion: '1.1',
    peer: { address, port: 1, encrypted: false },
  });
}

describe('paths of an extension', () => {
  it('are meant with all below them, and nothing beside them', () => {
    const isMeant = createPathMatcher(['/api', '/files/']);
    for (const path of ['/api', '/api/', '/api/x/y', '/files', '/files/a', '/api?x=1'])
      assert.equal(isMeant(request(path)), true, path);
    for (const path of ['/', '/apis', '/x/api', '/file', '/files2'])
      assert.equal(isMeant(request(path)), false, path);
    assert.equal(createPathMatcher(['/'])(request('/anything')), true);
    assert.equal(createPathMatcher(undefined)(request('/anything')), true);
    assert.equal(createPathMatcher([])(request('/anything')), false);
  });

  it('are compared as they are routed: decoded', () => {
    assert.equal(createPathMatcher(['/api'])(request('/%61pi/x')), true);
  });
});
