import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import './quiet-provider.js';
import { Provider } from 'oidc-provider';

export interface IdentityProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

export const client = { clientId: 'shop', clientSecret: 'the secret of the shop' } as const;

/** A certified OpenID provider whose users name themselves with `login_hint`; `denied` refuses. */
export async function startProvider(redirectUris: readonly string[]): Promise<IdentityProvider> {
  const keys = [signingKey().export({ format: 'jwk' })];
  return startServer((issuer) => {
    const provider = new Provider(issuer, {
      jwks: { keys },
      clients: [
        { client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: redirectUris },
        { client_id: 'public', redirect_uris: redirectUris, token_endpoint_auth_method: 'none' },
      ],
      cookies: { keys: ['a key for the tests'] },
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ sub: accountId, email: `${accountId}@example.org`, name: accountId }),
      }),
      loadExistingGrant: async ({ oidc }: { oidc: Oidc }) => {
        const { clientId } = oidc.client;
        const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    const answer = provider.callback();
    return (request, response) => {
      if (request.url?.startsWith('/interaction/') !== true) {
        answer(request, response);
        return;
      }
      void provider.interactionDetails(request, response).then(({ params }) => {
        const accountId = params['login_hint'] ?? 'ada';
        const result = accountId === 'denied' ? { error: 'access_denied' } : { login: { accountId } };
        return provider.interactionFinished(request, response, result);
      });
    };
  });
}

interface Oidc {
  readonly client: { readonly clientId: string };
  readonly session: { readonly accountId: string };
}

/** The behaviour of a dishonest provider. */
export interface Forgery {
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs with a key that the provider does not publish. */
  readonly foreignKey?: boolean;
  /** In the discovery document. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A minimal provider that can be made to lie. It keeps no state, so the client has to detect everything. */
export async function startForger(forge: () => Forgery): Promise<IdentityProvider> {
  const [own, foreign] = [signingKey(), signingKey()];
  return startServer((issuer) => (request, response) => {
    const send = (value: object): void => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(value));
    };
    const { claims, foreignKey, metadata } = forge();
    if (request.url === '/.well-known/openid-configuration')
      return send({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        ...metadata,
      });
    if (request.url === '/jwks') {
      const { kty, n, e } = own.export({ format: 'jwk' });
      return send({ keys: [{ kty, n, e, alg: 'RS256', use: 'sig' }] });
    }
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: issuer, aud: client.clientId, sub: 'ada', iat: now, exp: now + 60, ...claims };
    void new SignJWT(all)
      .setProtectedHeader({ alg: 'RS256' })
      .sign(foreignKey === true ? foreign : own)
      .then((token) => send({ access_token: 'a', token_type: 'Bearer', id_token: token }));
  });
}

function signingKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}

async function startServer(listen: (issuer: string) => RequestListener): Promise<IdentityProvider> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const issuer = `http://127.0.0.1:${port}`;
  server.on('request', listen(issuer));
  return {
    issuer,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Goes through the provider's pages like a browser, up to the URL that leaves them. */
export async function visitProvider(start: string): Promise<URL> {
  const jar = new Map<string, string>();
  let url = new URL(start);
  const { origin } = url;
  for (let steps = 0; url.origin === origin; steps++) {
    if (steps > 10) throw new Error(`The provider leads in a circle: ${url.href}`);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { Cookie: cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
  return url;
}
