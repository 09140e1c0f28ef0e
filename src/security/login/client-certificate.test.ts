import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createTrustPolicy, HttpRequest, type PeerCertificate } from '#http';
import { clientCertificate, parseSubject } from './client-certificate.js';

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

describe('a client certificate', () => {
  const certificate = (
    subject: Record<string, string[]>,
    validTo = Date.now() + 60_000,
  ): PeerCertificate => ({
    subject: new Map(Object.entries(subject)),
    alternativeNames: undefined,
    serialNumber: '01',
    fingerprint256: 'AA',
    validTo,
  });
  const login = clientCertificate({ verifyHeader: 'X-Verified', subjectHeader: 'X-Subject' });
  const found = (asked: Asked): string | undefined => {
    const request = ask(asked);
    if (!login.supports(request)) return undefined;
    return (login.authenticate(request) as { readonly identifier: string }).identifier; // not a promise here
  };

  it('names its holder by the mail address, else by the common name', () => {
    const address = '203.0.113.9';
    assert.equal(
      found({ address, certificate: certificate({ CN: ['Ada'], emailAddress: ['a@x.org'] }) }),
      'a@x.org',
    );
    assert.equal(found({ address, certificate: certificate({ CN: ['Ada'] }) }), 'Ada');
    assert.equal(found({ address, certificate: certificate({ CN: ['Ada', 'Eve'] }) }), undefined);
    assert.equal(found({ address, certificate: certificate({ CN: ['Ada'] }, Date.now() - 1) }), undefined);
    assert.equal(found({ address, certificate: certificate({ CN: ['A\0da'] }) }), undefined);
    assert.equal(found({ address }), undefined);
  });

  it('is taken from the headers of a trusted proxy, by the names that it writes, and from no one else', () => {
    const headers = { 'X-Verified': 'SUCCESS', 'X-Subject': 'CN=Ada,O=Org' };
    assert.equal(found({ headers }), 'Ada');
    assert.equal(found({ headers: { ...headers, 'X-Verified': 'NONE' } }), undefined);
    assert.equal(found({ headers, address: '203.0.113.9' }), undefined);
    assert.equal(found({ certificate: certificate({ CN: ['The proxy'] }) }), undefined);
    const plain = { 'X-SSL-Client-Verify': 'SUCCESS', 'X-SSL-Client-S-DN': 'CN=Ada' };
    assert.equal(found({ headers: plain }), undefined, 'only the names that were chosen count');
  });

  it('has a subject that names one person, or none', () => {
    for (const [subject, name] of [
      ['/C=DE/CN=Ada/emailAddress=a@x.org', 'a@x.org'],
      ['emailAddress=a@x.org, CN=Ada', 'a@x.org'],
      ['CN=Ada, CN=Eve', undefined],
      ['CN=', undefined],
      ['CN=Ada\\, Eve', undefined],
      ['CN="Ada"', undefined],
      ['', undefined],
    ] as const)
      assert.equal(parseSubject(subject), name, subject);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const name = parseSubject(text);
        assert.ok(name === undefined || text.includes(name));
      }),
    );
  });
});
