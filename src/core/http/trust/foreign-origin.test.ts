import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '../request/http-request.js';
import { describeForeignOrigin, suspectsProxy } from './foreign-origin.js';

function describeOrigin(origin: string, headers: Record<string, string>): string {
  return describeForeignOrigin(requestWith(headers), origin);
}

function requestWith(headers: Record<string, string>): HttpRequest {
  return new HttpRequest({
    method: 'POST',
    target: '/',
    rawHeaders: Object.entries({ Host: 'clinic.test', ...headers }).flat(),
    httpVersion: '1.1',
    peer: { address: '192.0.2.1', port: 1, encrypted: false },
  });
}

describe('a proxy that hides that it ends TLS', () => {
  it('is suspected if a page of the same host sent the request over another scheme, with any port', () => {
    for (const Origin of ['https://clinic.test', 'https://clinic.test:8443'])
      assert.equal(suspectsProxy(requestWith({ Origin })), true, Origin);
  });

  it('is not suspected for the same scheme, another host, or no valid origin', () => {
    for (const Origin of [
      'http://clinic.test',
      'http://clinic.test:8080',
      'https://evil.example',
      'null',
      'x',
    ])
      assert.equal(suspectsProxy(requestWith({ Origin })), false, Origin);
    assert.equal(suspectsProxy(requestWith({})), false);
  });
});

describe("a foreign origin's description", () => {
  it('blames a proxy that ends TLS if the host is the same over https, with any port', () => {
    for (const [origin, host] of [
      ['https://clinic.test', 'clinic.test'],
      ['https://clinic.test', 'clinic.test:80'],
      ['https://clinic.test:8443', 'clinic.test'],
      ['https://clinic.test', 'CLINIC.test:8000'],
    ] as const) {
      const text = describeOrigin(origin, { Host: host });
      assert.match(text, /the same host over https: does a proxy terminate TLS\?/, origin);
      assert.match(text, /X-Forwarded-Proto, and TRUSTED_PROXIES must contain its address/);
    }
  });

  it('names the untrusted proxy if it sent the scheme or the host', () => {
    for (const headers of [{ 'X-Forwarded-Proto': 'https' }, { Forwarded: 'proto=https' }])
      assert.match(
        describeOrigin('https://clinic.test', { ...headers }),
        /as the proxy's headers confirm, but the proxy is not in TRUSTED_PROXIES$/,
      );
    const inner = { Host: 'app:8000', 'X-Forwarded-Host': 'clinic.test' };
    assert.match(describeOrigin('https://clinic.test', inner), /X-Forwarded-Host that is not in TRUSTED/);
  });

  it('blames the Host sent by a proxy if only the port differs', () => {
    assert.match(
      describeOrigin('http://clinic.test:8080', {}),
      /the same host as http:\/\/clinic\.test but another port: does a proxy change the Host/,
    );
  });

  it('adds nothing for another site, null, or an invalid origin', () => {
    for (const origin of ['https://evil.example', 'null', 'x', 'https://clinic.test.evil.example'])
      assert.equal(describeOrigin(origin, {}), `foreign origin ${origin}`);
    assert.ok(describeOrigin('x'.repeat(10_000), {}).length < 400);
  });
});
