import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTrustPolicy, HttpRequest } from '#core/http';
import type { AuthenticationError } from '../authentication/authenticator.js';
import { createMemoryExpiringStore } from '../stores/expiring-store.js';
import type { SecurityUser } from '../users/user-provider.js';
import { createLoginLinks } from './login-links.js';

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

describe('links', () => {
  const ada: SecurityUser = { identifier: 'ada@example.org', roles: [], passwordHash: 'one' };
  const secret = 'a secret of thirty-two characters!';
  const links = createLoginLinks({ secret, store: createMemoryExpiringStore(), maxUses: 2 });

  const eve: SecurityUser = { identifier: 'eve', roles: [], passwordHash: 'one' };
  const follow = async (
    target: string,
    users: readonly SecurityUser[] = [ada, eve],
    { authenticator } = links,
  ): Promise<string> => {
    try {
      const passport = await authenticator.authenticate(ask({ target }));
      const user = users.find(({ identifier }) => identifier === passport.identifier);
      for (const badge of passport.badges) await badge.check?.({ user } as never); // all that the badge reads
      return passport.identifier;
    } catch (error) {
      return String((error as AuthenticationError).reason);
    }
  };

  it('log in their user as often as allowed', async () => {
    const link = links.create(ada);
    assert.equal(await follow(link), ada.identifier);
    assert.equal(await follow(link), ada.identifier);
    assert.equal(await follow(link), 'expired');
    assert.equal(await follow(links.create(ada), [{ ...ada, passwordHash: 'two' }]), 'token');
    assert.equal(await follow(links.create(ada), []), 'token');
  });

  it('work with a lifetime that is no whole number of seconds, and refuse one of more than a hundred years', async () => {
    const brief = createLoginLinks({ secret, lifetimeSeconds: 100 / 7 });
    assert.equal(await follow(brief.create(ada), [ada], brief), ada.identifier);
    const longest = createLoginLinks({ secret, lifetimeSeconds: 3_155_760_000 });
    assert.equal(await follow(longest.create(ada), [ada], longest), ada.identifier);
    for (const lifetimeSeconds of [1e21, 0, Number.NaN, Infinity])
      assert.throws(() => createLoginLinks({ secret, lifetimeSeconds }), { code: 'OPTIONS_BAD_VALUE' });
  });

  it('stay used up for their whole lifetime, and are refused as expired afterwards', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
    let passed = 0;
    t.mock.method(performance, 'now', () => passed);
    const tick = (ms: number): void => {
      passed += ms;
      t.mock.timers.tick(ms);
    };
    const hours = createLoginLinks({ secret, store: createMemoryExpiringStore(), lifetimeSeconds: 7200 });
    const link = hours.create(ada);
    assert.equal(await follow(link, [ada], hours), ada.identifier);
    for (const minutes of [1, 14, 45, 45]) {
      tick(minutes * 60_000);
      assert.equal(await follow(link, [ada], hours), 'expired', `${minutes} minutes later`);
    }
    const late = hours.create(ada);
    tick(7_199_000);
    assert.equal(await follow(late, [ada], hours), ada.identifier, 'one second before expiry');
    tick(2000);
    assert.equal(
      await follow(hours.create(ada).replace(/expires=\d+/, 'expires=1800000000'), [ada], hours),
      'expired',
    );
  });

  it('cannot be altered', async () => {
    const url = new URL(links.create(ada), 'http://localhost');
    for (const [name, value] of [
      ['user', 'eve'],
      ['expires', '99999999999'],
      ['id', 'other'],
      ['hash', 'x'],
      ['expires', 'soon'],
      ['expires', '1000000000'],
    ] as const) {
      const changed = new URL(url);
      changed.searchParams.set(name, value);
      assert.match(await follow(changed.pathname + changed.search), /^(?:token|malformed|expired)$/, name);
    }
  });

  it('are accepted only by POST if mail scanners open them', () => {
    const { authenticator } = createLoginLinks({ secret, postOnly: true, path: '/enter' });
    assert.equal(authenticator.supports(ask({ target: '/enter?hash=x' })), false);
    assert.ok(authenticator.supports(ask({ method: 'POST', target: '/enter?hash=x' })));
    assert.equal(authenticator.supports(ask({ method: 'POST', target: '/enter' })), false);
  });

  it('are not used up by HEAD, prefetches, previews, or pages that load them as an image', () => {
    const { authenticator } = links;
    const target = links.create(ada);
    assert.ok(authenticator.supports(ask({ target })));
    assert.equal(authenticator.supports(ask({ method: 'HEAD', target })), false);
    for (const [name, value] of [
      ['Sec-Purpose', 'prefetch;prerender'],
      ['Purpose', 'prefetch'],
      ['X-Purpose', 'preview'],
      ['X-Moz', 'prefetch'],
      ['Sec-Fetch-Mode', 'no-cors'],
    ] as const)
      assert.equal(authenticator.supports(ask({ target, headers: { [name]: value } })), false, name);
    assert.ok(authenticator.supports(ask({ target, headers: { 'Sec-Fetch-Mode': 'navigate' } })));
  });

  it("lead to pages in the request's language", async () => {
    const language = ({ query }: HttpRequest): string => query.get('lang') ?? 'en';
    const { authenticator } = createLoginLinks({
      secret,
      defaultTarget: (request) => `/${language(request)}/account`,
      failurePath: (request) => `/${language(request)}/login`,
    });
    const request = ask({ target: '/login/link?lang=fr' });
    const done = await authenticator.onSuccess?.(request, {} as never); // the token is not read
    assert.equal(done?.headers.get('location'), '/fr/account');
    const failed = await authenticator.onFailure?.(request, { reason: 'expired' } as AuthenticationError); // only this is read
    assert.equal(failed?.headers.get('location'), '/fr/login?error=expired');
  });
});
