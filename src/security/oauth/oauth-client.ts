import type * as OpenIdClient from 'openid-client';
import { isLoopbackHost } from '#http';
import { securityErrors } from '../errors/error-codes.js';

/** The endpoints of a server that has no discovery document (members of RFC 8414). */
export interface OAuthServer {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly userinfo_endpoint?: string;
  readonly jwks_uri?: string;
}

export interface OAuthClientOptions {
  /** The issuer's URL, whose discovery document is read at the first login; or the endpoints. HTTPS, except on loopback addresses. */
  readonly server: string | OAuthServer;
  readonly clientId: string;
  /** Left out for a public client, which PKCE alone protects. */
  readonly clientSecret?: string;
}

/** What a login at the provider gave. */
export interface OAuthTokens {
  /** The claims of the ID token, verified; undefined where the scope has no `openid`. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Queries the provider's userinfo endpoint (OpenID Connect Core section 5.3). Throws where the provider has none. */
  userInfo(): Promise<Readonly<Record<string, unknown>>>;
}

/** What the answer has to fit. */
export interface OAuthChecks {
  readonly state: string;
  readonly nonce: string | undefined;
  readonly verifier: string;
}

/** The protocol, by `openid-client`. */
export interface OAuthClient {
  authorizationUrl(parameters: Readonly<Record<string, string>>): Promise<string>;
  /** Changes the code in the callback's URL into tokens. Throws whatever is wrong with it. */
  exchange(callback: URL, checks: OAuthChecks): Promise<OAuthTokens>;
}

type Library = typeof OpenIdClient;
interface Connection {
  readonly library: Library;
  readonly config: InstanceType<Library['Configuration']>;
}

/** Seconds that the provider may take for an answer. */
const timeoutSeconds = 10;

export function createOAuthClient(options: OAuthClientOptions): OAuthClient {
  let connecting: Promise<Connection> | undefined;
  const connect = (): Promise<Connection> =>
    (connecting ??= openConnection(options).catch((error: unknown) => {
      connecting = undefined; // the next login tries again
      throw error;
    }));
  return {
    async authorizationUrl(parameters) {
      const { library, config } = await connect();
      return library.buildAuthorizationUrl(config, { ...parameters }).href;
    },
    async exchange(callback, { state, nonce, verifier }) {
      const { library, config } = await connect();
      const tokens = await library.authorizationCodeGrant(config, callback, {
        expectedState: state,
        pkceCodeVerifier: verifier,
        ...(nonce === undefined ? {} : { expectedNonce: nonce, idTokenExpected: true }),
      });
      const claims = tokens.claims();
      return {
        claims,
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
        userInfo: () =>
          library.fetchUserInfo(config, tokens.access_token, claims?.sub ?? library.skipSubjectCheck),
      };
    },
  };
}

async function openConnection({ server, clientId, clientSecret }: OAuthClientOptions): Promise<Connection> {
  const library = await import('openid-client').catch((cause: unknown) => {
    throw securityErrors.create('SECURITY_OPENID_CLIENT_UNAVAILABLE', {}, { cause });
  });
  const issuer = new URL(typeof server === 'string' ? server : server.issuer);
  const isLocal = issuer.protocol === 'http:' && isLoopbackHost(issuer.hostname);
  const config =
    typeof server === 'string'
      ? await library.discovery(issuer, clientId, clientSecret, authentication(library, clientSecret), {
          timeout: timeoutSeconds,
          ...(isLocal ? { execute: [library.allowInsecureRequests] } : {}),
        })
      : new library.Configuration(
          { ...server },
          clientId,
          clientSecret,
          authentication(library, clientSecret),
        );
  config.timeout = timeoutSeconds;
  if (isLocal) library.allowInsecureRequests(config);
  // Also of an ID token that came straight from the server: the library would trust the connection alone.
  if (config.serverMetadata().jwks_uri !== undefined) library.enableNonRepudiationChecks(config);
  return { library, config };
}

/** HTTP Basic, which every server has to take (RFC 6749 section 2.3.1). */
function authentication(library: Library, clientSecret: string | undefined): ReturnType<Library['None']> {
  return clientSecret === undefined ? library.None() : library.ClientSecretBasic(clientSecret);
}
