import { createHash } from 'node:crypto';
import type * as OpenIdClient from 'openid-client';
import {
  anObject,
  callable,
  checkOptions,
  either,
  optionsSchema,
  type OptionsSchema,
  namesTo,
  required,
  secret,
  text,
} from '#core/options';
import { HttpError } from '#core/errors';
import { type HttpRequest, HttpResponse, isLoopbackHost } from '#core/http';
import { checkPackage, loadOnce } from '#core/patches';
import { AuthenticationError, type Authenticator } from '../authentication/authenticator.js';
import { badOption, securityErrors } from '../secrets/error-codes.js';
import {
  createSignedCookies,
  hostCookieName,
  randomToken,
  signingSecret,
} from '../secrets/signed-cookies.js';
import type { SecurityUser } from '../users/user-provider.js';
import { parseTargetPath, answerFailure, redirectToLogin, answerSuccess } from './target-path.js';

/** Endpoints of a server without a discovery document (RFC 8414 members). */
interface OAuthServer {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly userinfo_endpoint?: string;
  readonly jwks_uri?: string;
}

/** The result from a login at the provider. */
interface OAuthTokens {
  /** The ID token's verified claims; undefined if the scope does not contain `openid`. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Queries the provider's userinfo endpoint (OpenID Connect Core section 5.3). Throws if the provider has none. */
  userInfo(): Promise<Readonly<Record<string, unknown>>>;
}

type Library = typeof OpenIdClient;
interface Connection {
  readonly library: Library;
  readonly config: InstanceType<Library['Configuration']>;
}

const timeoutSeconds = 10;

/** Exchanges the code in the callback URL for tokens. Throws if the callback or the provider's response is invalid. */
async function exchangeCode(
  { library, config }: Connection,
  callback: URL,
  { state, nonce, verifier }: Transaction,
): Promise<OAuthTokens> {
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
}

async function openConnection({ server, clientId, clientSecret }: OAuthLoginOptions): Promise<Connection> {
  checkPackage('openid-client');
  const library = await import('openid-client').catch((cause: unknown) => {
    throw securityErrors.create('SECURITY_OPENID_CLIENT_UNAVAILABLE', {}, { cause });
  });
  const issuer = new URL(typeof server === 'string' ? server : server.issuer);
  const isLocal = issuer.protocol === 'http:' && isLoopbackHost(issuer.hostname);
  // HTTP Basic, which every server must support (RFC 6749 section 2.3.1), or none.
  const authentication =
    clientSecret === undefined ? library.None() : library.ClientSecretBasic(clientSecret);
  const execute = isLocal ? [library.allowInsecureRequests] : [];
  const config =
    typeof server === 'string'
      ? await library.discovery(issuer, clientId, clientSecret, authentication, {
          timeout: timeoutSeconds,
          execute,
        })
      : new library.Configuration({ ...server }, clientId, clientSecret, authentication);
  config.timeout = timeoutSeconds;
  if (isLocal) library.allowInsecureRequests(config);
  // Also verifies signatures on ID tokens received directly from the server; by default, the library trusts the connection for these.
  if (config.serverMetadata().jwks_uri !== undefined) library.enableNonRepudiationChecks(config);
  return { library, config };
}

interface OAuthLoginOptions {
  /** Name of the provider in paths, cookies and records: lower-case letters, digits and hyphens. Unique in its firewall. */
  readonly name: string;
  /**
   * The issuer's URL, whose discovery document is read at the first login, or the endpoints. Must use HTTPS, except on
   * loopback addresses.
   */
  readonly server: string | OAuthServer;
  readonly clientId: string;
  /** Omit it for a public client, which is protected only by PKCE. */
  readonly clientSecret?: string;
  /** Secret for signing a login's cookie in progress: at least 32 random characters. */
  readonly secret: string | readonly string[];
  /**
   * Finds or creates an account's user; undefined refuses the login. The firewall's provider must know the user's
   * identifier.
   */
  readonly findUser: (
    account: OAuthTokens,
    request: HttpRequest,
  ) => SecurityUser | undefined | Promise<SecurityUser | undefined>;
  /**
   * Default `openid email profile`. Without `openid` it is plain OAuth 2, and `findUser` must query the provider for
   * the identity.
   */
  readonly scope?: string;
  /** Additional authorization request parameters: `{ prompt: 'select_account' }`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Path where logins start. Default `/login/<name>`. */
  readonly startPath?: string;
  /** Path that the provider redirects the browser to; needs no route. Default `<startPath>/callback`. */
  readonly callbackPath?: string;
  /**
   * Redirect URI registered at the provider. Default: the request's origin and the callback path; in production, this
   * needs `TRUSTED_HOSTS`.
   */
  readonly redirectUri?: string;
  /** Path to redirect to after a login if no target page is known. Default `/`. */
  readonly defaultTarget?: string;
  /** Path to redirect to after a failure, with `?error=<reason>`. Default `/login`. */
  readonly failurePath?: string;
}

export const oauthLoginSchema: OptionsSchema<OAuthLoginOptions> = optionsSchema<OAuthLoginOptions>({
  name: required(text),
  server: required(either(text, anObject<OAuthServer>())),
  clientId: required(text),
  clientSecret: secret(text),
  secret: required(signingSecret),
  findUser: required(callable()),
  scope: text,
  parameters: namesTo(text),
  startPath: text,
  callbackPath: text,
  redirectUri: text,
  defaultTarget: text,
  failurePath: text,
});

/** Login at another site: the controller that starts it, and the authenticator that completes it. */
export interface OAuthLogin {
  /** A controller: `app.get(login.startPath, login.start)`. `?target=/path` sets the page to open after the login. */
  readonly start: (context: { readonly request: HttpRequest }) => Promise<HttpResponse>;
  readonly startPath: string;
  readonly authenticator: Authenticator;
}

/** A login in progress, stored in a signed cookie in the browser that started it, with the state in its name. */
interface Transaction {
  readonly state: string;
  readonly nonce: string | undefined;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly target: string | undefined;
}

/** Seconds within which the login at the provider must be completed. */
const lifetimeSeconds = 600;
/** Maximum concurrent logins in one browser, in several tabs. */
const maxLogins = 3;

/**
 * Creates a login with OpenID Connect or OAuth 2: authorization code with PKCE (RFC 7636), state, nonce, and the issuer
 * check of the response (RFC 9207), as required by RFC 9700. Needs the package `openid-client`.
 */
export function createOAuthLogin(options: OAuthLoginOptions): OAuthLogin {
  checkOptions('createOAuthLogin()', options, oauthLoginSchema);
  const { name, scope = 'openid email profile', startPath = `/login/${name}` } = options;
  if (!/^[a-z0-9-]{1,40}$/.test(name))
    throw badOption(
      'createOAuthLogin',
      'name',
      `"${name}"; use 1 to 40 lower-case letters, digits and hyphens`,
    );
  const callbackPath = options.callbackPath ?? `${startPath}/callback`;
  const connect = loadOnce(() => openConnection(options));
  const transactions = createTransactions(options);
  return {
    startPath,
    async start({ request }) {
      if (options.redirectUri === undefined && request.trust?.namesHosts === false)
        throw securityErrors.create('SECURITY_ORIGIN_UNKNOWN', { name }); // the client chooses the origin
      const redirectUri = options.redirectUri ?? request.origin + request.basePath + callbackPath;
      const target = parseTargetPath(request.query.get('target') ?? undefined);
      const nonce = scope.split(' ').includes('openid') ? randomToken(18) : undefined;
      const begun = { state: randomToken(18), nonce, verifier: randomToken(), redirectUri, target };
      const parameters = {
        ...options.parameters,
        scope,
        redirect_uri: redirectUri,
        state: begun.state,
        code_challenge: createHash('sha256').update(begun.verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...(nonce === undefined ? {} : { nonce }),
      };
      const { library, config } = await connect().catch((cause: unknown) => {
        throw new HttpError(502, `The login at ${name} cannot be started.`, { cause });
      });
      const url = library.buildAuthorizationUrl(config, parameters).href;
      const response = HttpResponse.redirect(url, { external: true });
      response.headers.set('Cache-Control', 'no-store');
      transactions.begin(request, response, begun);
      return response;
    },
    authenticator: createAuthenticator(options, { connect, transactions, startPath, callbackPath }),
  };
}

interface Parts {
  readonly connect: () => Promise<Connection>;
  readonly transactions: ReturnType<typeof createTransactions>;
  readonly startPath: string;
  readonly callbackPath: string;
}

function createAuthenticator(
  options: OAuthLoginOptions,
  { connect, transactions, startPath, callbackPath }: Parts,
): Authenticator {
  const { name, defaultTarget = '/', failurePath = '/login' } = options;
  return {
    name,
    isInteractive: true,
    supports: (request) => request.method === 'GET' && request.path === callbackPath,
    methodsOf: (request) => (request.path === callbackPath ? ['GET'] : []),
    async authenticate(request) {
      const begun = transactions.find(request);
      if (begun === undefined)
        throw new AuthenticationError(
          'state',
          'No login with this state was started in this browser, or it has expired.',
        );
      const failure = request.query.get('error');
      if (failure !== null)
        throw new AuthenticationError('provider', `${name} answered ${failure.slice(0, 100)}.`);
      const callback = new URL(begun.redirectUri);
      callback.search = request.rawQuery;
      const account = await connect()
        .then((connection) => exchangeCode(connection, callback, begun))
        .catch((cause: unknown) => {
          throw new AuthenticationError('provider', `The response from ${name} is not valid.`, { cause });
        });
      const user = await options.findUser(account, request);
      if (user === undefined)
        throw new AuthenticationError('credentials', `No user is linked to this ${name} account.`);
      return { identifier: user.identifier, badges: [], loadUser: () => user };
    },
    onSuccess(request, token) {
      const { target } = transactions.find(request) ?? {};
      const response = answerSuccess(request, token, { target, otherwise: defaultTarget });
      transactions.end(request, response);
      return response;
    },
    onFailure(request, error) {
      const response = answerFailure(request, failurePath, error);
      // A forged callback must not abort the login in progress.
      if (error.reason !== 'state') transactions.end(request, response);
      return response;
    },
    challenge: (request) => redirectToLogin(request, startPath),
  };
}

function createTransactions({ name, secret }: OAuthLoginOptions) {
  const cookies = createSignedCookies({ secret, lifetimeSeconds });
  // Each login has its own cookie, so that logins in several tabs do not replace one another.
  const cookieOf = (request: HttpRequest, state: string): string =>
    hostCookieName(request, `oauth_${name}_${state}`);
  const find = (request: HttpRequest): Transaction | undefined => {
    const [state = '', second] = request.query.getAll('state');
    if (second !== undefined || !/^[\w-]{1,40}$/.test(state)) return undefined;
    const text = cookies.get(request, cookieOf(request, state));
    return text === undefined ? undefined : (JSON.parse(text) as Transaction); // signed and written by begin() below
  };
  return {
    /** Returns the login that the callback's `state` belongs to. */
    find,
    begin(request: HttpRequest, response: HttpResponse, transaction: Transaction): void {
      const begun = [...request.cookies.keys()].filter((one) => one.startsWith(cookieOf(request, '')));
      // Browsers send the oldest first.
      for (const oldest of begun.slice(0, 1 - maxLogins)) cookies.remove(request, response, { name: oldest });
      const value = JSON.stringify(transaction);
      cookies.set(request, response, { name: cookieOf(request, transaction.state), value });
    },
    end(request: HttpRequest, response: HttpResponse): void {
      const begun = find(request);
      if (begun !== undefined) cookies.remove(request, response, { name: cookieOf(request, begun.state) });
    },
  };
}
