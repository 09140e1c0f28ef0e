import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createTrustPolicy, HttpRequest, type PeerCertificate } from '#http';
import { quoteHeader, readAuthorization } from './authorization-header.js';

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

const authorized = (value: string): HttpRequest => ask({ headers: { Authorization: value } });

describe('the Authorization header', () => {
  it('gives the credentials of its scheme, whose case does not matter', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[!-~]{1,40}$/),
        fc.constantFrom('Bearer', 'bearer', 'BEARER'),
        (text, scheme) => {
          assert.equal(readAuthorization(authorized(`${scheme} ${text}`), 'Bearer'), text);
          assert.equal(readAuthorization(authorized(`${scheme} ${text}`), 'Basic'), undefined);
        },
      ),
    );
    for (const other of ['Bearer', 'Bearertoken', '', 'Basic x'])
      assert.equal(readAuthorization(authorized(other), 'bearer'), undefined, other);
  });

  it('is none where there are two of it', () => {
    const headers = ['Host', 'h', 'Authorization', 'Bearer a', 'authorization', 'Bearer b'];
    const source = { ...ask().source, rawHeaders: headers };
    assert.equal(readAuthorization(new HttpRequest(source), 'bearer'), undefined);
  });

  it('quotes any text so that it stays one string of its header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.match(quoteHeader(text), /^"(?:[ !#-[\]-~]|\\["\\])*"$/);
      }),
    );
    assert.equal(quoteHeader('a "b" \\c\r\nd'), '"a \\"b\\" \\\\cd"');
  });
});
