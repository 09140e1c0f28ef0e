import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTrustPolicy, HttpRequest } from '#core/http';
import { AuthenticationError, type Passport } from '../authentication/authenticator.js';
import fc from 'fast-check';
import {
  accessToken,
  listedTokens,
  opaqueTokens,
  quoteHeader,
  readAuthorization,
  type TokenHandler,
} from './access-token.js';
import type { SecurityUser } from '../users/user-provider.js';

const passportOf = async (handler: TokenHandler, key: string): Promise<Passport> =>
  accessToken({ handler, header: 'X-API-Key' }).authenticate(ask({ headers: { 'x-api-key': key } }));

interface Asked {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly address?: string;
}

const trust = createTrustPolicy({ trustedProxies: ['10.0.0.1'] });

function ask({
  method = 'GET',
  target = '/',
  headers = {},
  body,
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
      peer: { address, port: 1, encrypted: false },
      ...(body === undefined ? {} : { body: { chunks } }),
    },
    { trust },
  );
}

const authorized = (value: string): HttpRequest => ask({ headers: { Authorization: value } });

describe('tokens', () => {
  it('are looked up by hash, and lead to an identifier or a user', async () => {
    const ada: SecurityUser = { identifier: 'ada', roles: [] };
    const seen: string[] = [];
    const handler = opaqueTokens((hash) => {
      seen.push(hash);
      return { user: ada };
    });
    const passport = await passportOf(handler, 'secret');
    assert.equal(passport.identifier, 'ada');
    assert.equal(await passport.loadUser?.(), ada);
    assert.ok(seen.length === 1 && !seen[0]?.includes('secret'));
    const named = await passportOf(listedTokens({ secret: 'bob' }), 'secret');
    assert.deepEqual([named.identifier, named.loadUser], ['bob', undefined]);
  });

  it('that are empty, too long or unknown are refused', async () => {
    const handler = listedTokens({ good: 'ada', __proto__: 'eve' });
    for (const bad of ['', 'x'.repeat(20_000), 'other', 'constructor', '__proto__'])
      await assert.rejects(passportOf(handler, bad), AuthenticationError, bad.slice(0, 20));
  });

  it('are read from their scheme, never from the URL', async () => {
    const handler = listedTokens({ good: 'ada' });
    const plain = accessToken({ handler });
    const both = accessToken({ handler, scheme: 'Token', realm: 'a "b"', name: 'keys' });
    assert.equal(plain.supports(ask({ target: '/?access_token=good' })), false);
    assert.equal((await both.authenticate(authorized('Token good'))).identifier, 'ada');
    assert.equal(both.supports(authorized('Bearer good')), false);
    assert.deepEqual([both.name, both.challenge?.(ask())], ['keys', 'Token realm="a \\"b\\""']);
    for (const scheme of ['Basic', 'a b', ''])
      assert.throws(() => accessToken({ handler, scheme }), { code: 'SECURITY_BAD_OPTION' }, scheme);
  });

  it('that are invalid are answered with 401 as their scheme requires', () => {
    const handler = listedTokens({});
    const error = new AuthenticationError('token', 'unknown');
    for (const [options, challenge] of [
      [{}, 'Bearer realm="api", error="invalid_token", error_description="The access token is invalid."'],
      [{ scheme: 'Token' }, 'Token realm="api"'],
      [{ header: 'X-Key' }, 'ApiKey realm="api", header="X-Key"'],
    ] as const)
      assert.throws(() => accessToken({ handler, ...options }).onFailure?.(ask(), error), {
        status: 401,
        headers: { 'WWW-Authenticate': challenge },
      });
  });
});

describe('the Authorization header', () => {
  it("returns its scheme's credentials, ignoring the scheme's case", () => {
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

  it('counts as missing if there are two', () => {
    const headers = ['Host', 'h', 'Authorization', 'Bearer a', 'authorization', 'Bearer b'];
    const source = { ...ask().source, rawHeaders: headers };
    assert.equal(readAuthorization(new HttpRequest(source), 'bearer'), undefined);
  });

  it('quotes any text so that it stays one string in its header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.match(quoteHeader(text), /^"(?:[ !#-[\]-~]|\\["\\])*"$/);
      }),
    );
    assert.equal(quoteHeader('a "b" \\c\r\nd'), '"a \\"b\\" \\\\cd"');
  });
});
