import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTrustPolicy, HttpRequest, type PeerCertificate } from '#http';
import { wantsPage } from './wants-page.js';

interface Asked {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly certificate?: PeerCertificate;
  readonly address?: string;
}

const trust = createTrustPolicy({ trustedProxies: ['10.0.0.1'] });

function ask({
  method = 'GET',
  target = '/',
  headers = {},
  body,
  certificate,
  address = '10.0.0.1',
}: Asked = {}): HttpRequest {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(body ?? '');
  };
  return new HttpRequest(
    {
      method,
      target,
      rawHeaders: ['Host', 'localhost', ...Object.entries(headers).flat()],
      httpVersion: '1.1',
      peer: { address, port: 1, encrypted: false, certificate },
      ...(body === undefined ? {} : { body: { chunks } }),
    },
    { trust },
  );
}

describe('who wants a page', () => {
  it('is a browser that goes somewhere, or a client that likes HTML better than JSON', () => {
    for (const [headers, expected] of [
      [{ Accept: 'text/html,*/*;q=0.8' }, true],
      [{ 'Sec-Fetch-Mode': 'navigate' }, true],
      [{}, false],
      [{ Accept: '*/*' }, false],
      [{ Accept: 'application/json, text/html' }, true],
      [{ Accept: 'application/json, text/html;q=0.5' }, false],
      [{ Accept: 'text/html', 'Content-Type': 'application/json' }, false],
      [{ Accept: 'text/html', 'Content-Type': '/' }, true],
    ] as const)
      assert.equal(wantsPage(ask({ headers })), expected, JSON.stringify(headers));
  });
});
