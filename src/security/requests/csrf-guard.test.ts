import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest } from '#http';
import { createSigner } from '../secrets/signed-cookies.js';
import { createCsrfGuard, type CsrfOptions } from './csrf-guard.js';

const signer = createSigner('a secret of thirty-two characters!', 'the test');
const site = 'http://shop.example';

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly encrypted?: boolean;
}

function post({ method = 'POST', headers = {}, body, encrypted = false }: Sent = {}): HttpRequest {
  const fields = { Host: 'shop.example', ...headers };
  return new HttpRequest({
    method,
    target: '/orders',
    rawHeaders: Object.entries(fields).flat(),
    httpVersion: '1.1',
    peer: { address: '203.0.113.9', port: 1, encrypted },
    ...(body === undefined
      ? {}
      : {
          body: {
            async *chunks() {
              yield Buffer.from(body);
            },
          },
        }),
  });
}

const form = 'application/x-www-form-urlencoded';

function guard(options: CsrfOptions = {}, session = 'one'): ReturnType<typeof createCsrfGuard> {
  return createCsrfGuard(signer, () => session, options);
}

const isAllowed = async (sent: Sent, by = guard()): Promise<boolean> => (await by.check(post(sent))).allowed;

describe('where a request comes from', () => {
  it('does not matter for what changes nothing', async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])
      assert.ok(await isAllowed({ method, headers: { 'Sec-Fetch-Site': 'cross-site', Cookie: 'a=b' } }));
  });

  it('is what the browser says of the page', async () => {
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
      assert.equal(
        await isAllowed({ headers: { ...cookie, ...headers } }),
        expected,
        JSON.stringify(headers),
      );
  });

  it('may be a trusted origin, compared whole', async () => {
    const by = guard({ trustedOrigins: ['https://accounts.example'] });
    const from = (origin: string): Sent => ({
      headers: { Cookie: 'a=b', 'Sec-Fetch-Site': 'cross-site', Origin: origin },
    });
    assert.ok(await isAllowed(from('https://accounts.example'), by));
    for (const other of [
      'https://accounts.example.evil',
      'http://accounts.example',
      'https://accounts.example:444',
    ])
      assert.equal(await isAllowed(from(other), by), false, other);
  });

  it('is no question for programs, which bring nothing that a browser would add', async () => {
    assert.ok(await isAllowed({}));
    assert.ok(await isAllowed({ headers: { Authorization: 'Bearer x' } }));
    assert.equal(await isAllowed({ headers: { Authorization: 'Basic eDp5' } }), false);
    assert.equal(await isAllowed({ headers: { Authorization: 'basic eDp5' } }), false);
    assert.equal(await isAllowed({ headers: { Cookie: 'session=x' } }), false);
  });

  it('reads the headers alone where every request proves who sends it', () => {
    const by = guard();
    assert.ok(by.checkHeaders(post({ headers: { Authorization: 'Basic eDp5' } })).allowed);
    assert.equal(by.checkHeaders(post({ headers: { Origin: 'http://evil.example' } })).allowed, false);
  });
});

describe('the token of a form', () => {
  const issued = guard().issue(post());
  const pair = issued.cookie.split(';')[0] ?? '';

  it('is good in the form and in the header, beside its cookie', async () => {
    const body = `a=b&_csrf=${encodeURIComponent(issued.token)}`;
    assert.ok(await isAllowed({ headers: { Cookie: pair, 'Content-Type': form }, body }));
    assert.ok(await isAllowed({ headers: { Cookie: pair, 'X-CSRF-Token': issued.token } }));
    assert.equal(await isAllowed({ headers: { Cookie: pair, 'Content-Type': form }, body: 'a=b' }), false);
    assert.equal(await isAllowed({ headers: { Cookie: pair, 'Content-Type': 'text/plain' }, body }), false);
    assert.equal(await isAllowed({ headers: { Cookie: 'a=b', 'X-CSRF-Token': issued.token } }), false);
  });

  it('is good for its session only', async () => {
    const headers = { Cookie: pair, 'X-CSRF-Token': issued.token };
    assert.ok(await isAllowed({ headers }, guard({}, 'one')));
    assert.equal(await isAllowed({ headers }, guard({}, 'two')), false);
  });

  it('is the same for every form of one browser, and a new one for another', () => {
    const again = guard().issue(post({ headers: { Cookie: pair } }));
    assert.equal(again.token, issued.token);
    assert.notEqual(guard().issue(post()).token, issued.token);
    assert.notEqual(guard({}, 'two').issue(post({ headers: { Cookie: pair } })).token, issued.token);
  });

  it('has a cookie of this host alone over HTTPS', async () => {
    const by = guard();
    const { token, cookie } = by.issue(post({ encrypted: true }));
    assert.match(cookie, /^__Host-csrf=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
    const headers = { Cookie: cookie.split(';')[0] ?? '' };
    assert.ok(await isAllowed({ encrypted: true, headers: { ...headers, 'X-CSRF-Token': token } }, by));
    const body = `_csrf=${encodeURIComponent(token)}`;
    assert.ok(await isAllowed({ encrypted: true, headers: { ...headers, 'Content-Type': form }, body }, by));
  });

  it('cannot be made up: any change of cookie and token is refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: issued.token.length - 1 }),
        fc.constantFrom('A', '.', '-', '0'),
        async (at, put) => {
          const other = issued.token.slice(0, at) + put + issued.token.slice(at + 1);
          if (other === issued.token) return;
          const both = { Cookie: `csrf=${other}`, 'X-CSRF-Token': other };
          assert.equal(await isAllowed({ headers: both }), false);
          assert.equal(await isAllowed({ headers: { Cookie: pair, 'X-CSRF-Token': other } }), false);
        },
      ),
      { numRuns: 60 },
    );
  });
});
