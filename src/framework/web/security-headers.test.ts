import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import { HttpRequest } from '#core/http';
import { createPolicyWriter, cspNonce, defaultPolicy } from './security-headers.js';

function request(target = '/', headers: Record<string, string> = {}, address = '203.0.113.7'): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target,
    rawHeaders: Object.entries({ Host: 'example.org', ...headers }).flat(),
    httpVersion: '1.1',
    peer: { address, port: 1, encrypted: false },
  });
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => isCodedError(error) && error.code === code;
}

describe('a content security policy', () => {
  const write = (own: Parameters<typeof createPolicyWriter>[0], from = request()): Record<string, string> =>
    Object.fromEntries(
      createPolicyWriter(own)(from)
        .split('; ')
        .map((directive) => [directive.split(' ')[0] ?? '', directive]),
    );

  it('has the defaults with replacements, and without null directives', () => {
    assert.deepEqual(Object.keys(write({})), Object.keys(defaultPolicy));
    const own = write({ 'script-src': ['https://cdn.example'], 'style-src': null, sandbox: [] });
    assert.equal(own['script-src'], 'script-src https://cdn.example');
    assert.equal(own['style-src'], undefined);
    assert.equal(own['sandbox'], 'sandbox');
  });

  it("contains the request's nonce if and only if it has one", () => {
    const [one, other] = [request(), request()];
    const nonce = cspNonce(one);
    assert.equal(cspNonce(one), nonce);
    assert.notEqual(cspNonce(request()), nonce);
    assert.equal(write({}, one)['script-src'], `script-src 'self' 'nonce-${nonce}'`);
    assert.equal(write({ 'style-src': ["'none'"] }, one)['style-src'], `style-src 'nonce-${nonce}'`);
    assert.equal(write({}, one)['img-src'], "img-src 'self' data:");
    assert.equal(write({}, other)['script-src'], "script-src 'self'");
  });

  it('refuses names and sources that would start another directive or header', () => {
    for (const [name, source] of [
      ['script-src', "'self'; object-src *"],
      ['script-src', 'a b'],
      ['script-src', 'a,b'],
      ['script-src', ''],
      ['script-src', 'x\r\nSet-Cookie: a=b'],
      ['script src', "'self'"],
      ['Script-Src', "'self'"],
      ['', "'self'"],
    ] as const)
      assert.throws(
        () => createPolicyWriter({ [name]: [source] }),
        hasCode('WEB_BAD_OPTION'),
        `${name} ${source}`,
      );
  });

  it('needs a request for its nonce', () => {
    assert.throws(() => cspNonce(), hasCode('WEB_NO_REQUEST'));
  });
});
