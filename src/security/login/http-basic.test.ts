import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createTrustPolicy, HttpRequest, type PeerCertificate } from '#http';
import { AuthenticationError } from '../authentication/authentication-error.js';
import { httpBasic } from './http-basic.js';

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

describe('HTTP basic', () => {
  const basic = httpBasic({ realm: 'Inner' });
  const credentials = (text: string | Uint8Array): HttpRequest =>
    authorized(`Basic ${Buffer.from(text as string).toString('base64')}`); // both are taken

  it('reads names and passwords in UTF-8, colons in the password included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string({ unit: 'grapheme' }),
        async (name, password) => {
          const text = `${name.replaceAll(':', '').toWellFormed() || 'x'}:${password.toWellFormed()}`;
          const passport = await basic.authenticate(credentials(text));
          assert.equal(passport.identifier, text.slice(0, text.indexOf(':')));
          assert.equal(passport.isThrottled, true);
        },
      ),
    );
  });

  it('refuses what is no base64 of name and password', () => {
    for (const bad of ['no colon', ':password', '', `a:${'x'.repeat(9000)}`, Uint8Array.of(0xff, 0x3a, 0x61)])
      assert.throws(
        () => basic.authenticate(credentials(bad)),
        AuthenticationError,
        String(bad).slice(0, 20),
      );
    for (const bad of ['Basic', 'Basic a b', 'Basic ===', 'Basic YTpi*'])
      if (basic.supports(authorized(bad)))
        assert.throws(() => basic.authenticate(authorized(bad)), AuthenticationError, bad);
    assert.equal(basic.challenge?.(ask()), 'Basic realm="Inner", charset="UTF-8"');
  });
});
