import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTrustPolicy, HttpRequest, type PeerCertificate } from '#http';
import type { AuthenticationError } from '../authentication/authentication-error.js';
import { createMemoryExpiringStore } from '../stores/memory-expiring-store.js';
import type { SecurityUser } from '../users/user-provider.js';
import { createLoginLinks } from './login-links.js';

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

describe('links', () => {
  const ada: SecurityUser = { identifier: 'ada@example.org', roles: [], passwordHash: 'one' };
  const secret = 'a secret of thirty-two characters!';
  const links = createLoginLinks({ secret, store: createMemoryExpiringStore(), maxUses: 2 });

  const eve: SecurityUser = { identifier: 'eve', roles: [], passwordHash: 'one' };
  const follow = async (target: string, users: readonly SecurityUser[] = [ada, eve]): Promise<string> => {
    const { authenticator } = links;
    try {
      const passport = await authenticator.authenticate(ask({ target }));
      const user = users.find(({ identifier }) => identifier === passport.identifier);
      for (const badge of passport.badges) await badge.check?.({ user } as never); // all that the badge reads
      return passport.identifier;
    } catch (error) {
      return String((error as AuthenticationError).reason);
    }
  };

  it('let in as often as agreed, who they were made for', async () => {
    const link = links.create(ada);
    assert.equal(await follow(link), ada.identifier);
    assert.equal(await follow(link), ada.identifier);
    assert.equal(await follow(link), 'expired');
    assert.equal(await follow(links.create(ada), [{ ...ada, passwordHash: 'two' }]), 'token');
    assert.equal(await follow(links.create(ada), []), 'token');
  });

  it('cannot be changed', async () => {
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

  it('are taken by POST only where scanners open mails', () => {
    const { authenticator } = createLoginLinks({ secret, postOnly: true, path: '/enter' });
    assert.equal(authenticator.supports(ask({ target: '/enter?hash=x' })), false);
    assert.ok(authenticator.supports(ask({ method: 'POST', target: '/enter?hash=x' })));
    assert.equal(authenticator.supports(ask({ method: 'POST', target: '/enter' })), false);
  });
});
