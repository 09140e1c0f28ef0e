import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import { createCsrfGuard, type CsrfGuard, type CsrfOptions } from './csrf-guard.js';

const site = 'http://shop.example';

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function post({ method = 'POST', headers = {} }: Sent): HttpRequest {
  const fields = { Host: 'shop.example', ...headers };
  return new HttpRequest({
    method,
    target: '/orders',
    rawHeaders: Object.entries(fields).flat(),
    httpVersion: '1.1',
    peer: { address: '203.0.113.9', port: 1, encrypted: false },
  });
}

const guard = (options: CsrfOptions = {}): CsrfGuard => createCsrfGuard(options);

const isAllowed = (sent: Sent, by = guard()): boolean => by(post(sent)) === undefined;

describe("a request's origin", () => {
  it('is irrelevant for safe methods', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])
      assert.ok(isAllowed({ method, headers: { 'Sec-Fetch-Site': 'cross-site', Cookie: 'a=b' } }));
  });

  it("is read from the browser's headers", () => {
    const cookie = { Cookie: 'session=x' };
    for (const [headers, expected] of [
      [{ 'Sec-Fetch-Site': 'same-origin' }, true],
      [{ 'Sec-Fetch-Site': 'none' }, true],
      [{ 'Sec-Fetch-Site': 'same-site' }, false],
      [{ 'Sec-Fetch-Site': 'cross-site' }, false],
      [{ 'Sec-Fetch-Site': 'Same-Origin' }, false],
      [{ Origin: site }, true],
      [{ Origin: `${site}:8080` }, false],
      [{ Origin: 'https://shop.example' }, false],
      [{ Origin: 'null' }, false],
      [{ Origin: 'http://evil.example' }, false],
      [{ 'Sec-Fetch-Site': 'cross-site', Origin: site }, false],
    ] as const)
      assert.equal(isAllowed({ headers: { ...cookie, ...headers } }), expected, JSON.stringify(headers));
  });

  it('may be trusted, if it matches completely', () => {
    const by = guard({ trustedOrigins: ['https://accounts.example'] });
    const from = (origin: string): Sent => ({
      headers: { Cookie: 'a=b', 'Sec-Fetch-Site': 'cross-site', Origin: origin },
    });
    assert.ok(isAllowed(from('https://accounts.example'), by));
    for (const other of [
      'https://accounts.example.evil',
      'http://accounts.example',
      'https://accounts.example:444',
    ])
      assert.equal(isAllowed(from(other), by), false, other);
  });

  it('is not checked for programs, which carry no ambient credentials', () => {
    assert.ok(isAllowed({}));
    assert.ok(isAllowed({ headers: { Authorization: 'Bearer x' } }));
    assert.equal(isAllowed({ headers: { Authorization: 'Basic eDp5' } }), false);
    assert.equal(isAllowed({ headers: { Authorization: 'basic eDp5' } }), false);
    assert.equal(isAllowed({ headers: { Cookie: 'session=x' } }), false);
  });

  it('is only read from the headers if every request carries credentials', () => {
    const by = guard();
    const headersOnly = (headers: Record<string, string>): string | undefined =>
      by(post({ headers }), { headersOnly: true });
    assert.equal(headersOnly({ Authorization: 'Basic eDp5' }), undefined);
    assert.equal(headersOnly({ Origin: 'http://evil.example' }), 'foreign origin http://evil.example');
  });
});
