import type * as OpenIdClient from 'openid-client';
import { isLoopbackHost } from '#http';
import { securityErrors } from '../errors/error-codes.js';

/** The endpoints of a server without a discovery document (members of RFC 8414). */
export interface OAuthServer {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly userinfo_endpoint?: string;
  readonly jwks_uri?: string;
}

export interface OAuthClientOptions {
  /**
   * URL of the issuer, whose discovery document is read at the first login, or the endpoints. Must use HTTPS, except on
   * loopback addresses.
   */
  readonly server: string | OAuthServer;
  readonly clientId: string;
  /** Omit it for a public client, which is protected only by PKCE. */
  readonly clientSecret?: string;
}

/** The result of a login at the provider. */
export interface OAuthTokens {
  /** The verified claims of the ID token; undefined if the scope does not contain `openid`. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Queries the userinfo endpoint of the provider (OpenID Connect Core section 5.3). Throws if the provider has none. */
  userInfo(): Promise<Readonly<Record<string, unknown>>>;
}

/** Values of the authorization request, which the callback is checked against. */
export interface OAuthChecks {
  readonly state: string;
  readonly nonce: string | undefined;
  readonly verifier: string;
}

/** The protocol of the login, implemented with `openid-client`. */
export interface OAuthClient {
  authorizationUrl(parameters: Readonly<Record<string, string>>): Promise<string>;
  /** Exchanges the code in the URL of the callback for tokens. Throws if the callback or the answer is invalid. */
  exchange(callback: URL, checks: OAuthChecks): Promise<OAuthTokens>;
}

type Library = typeof OpenIdClient;
interface Connection {
  readonly library: Library;
  readonly config: InstanceType<Library['Configuration']>;
}

/** Timeout of requests to the provider, in seconds. */
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
  // Also verify signatures of ID tokens received directly from the server, for which the library trusts the connection by
  // default.
  if (config.serverMetadata().jwks_uri !== undefined) library.enableNonRepudiationChecks(config);
  return { library, config };
}

/** Returns the client authentication: HTTP Basic, which every server must support (RFC 6749 section 2.3.1), or none. */
function authentication(library: Library, clientSecret: string | undefined): ReturnType<Library['None']> {
  return clientSecret === undefined ? library.None() : library.ClientSecretBasic(clientSecret);
}
