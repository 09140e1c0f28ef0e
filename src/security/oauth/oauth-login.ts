import { createHash } from 'node:crypto';
import { HttpError } from '#errors';
import { type HttpRequest, HttpResponse } from '#http';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticator } from '../authentication/authenticator.js';
import { badOption } from '../errors/error-codes.js';
import {
  findTarget,
  parseTargetPath,
  redirectToFailure,
  redirectToLogin,
  redirectToTarget,
} from '../login/target-path.js';
import { equalSecrets, hashToken, randomToken } from '../secrets/random-token.js';
import { createSignedCookies } from '../secrets/signed-cookies.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import { createMemoryExpiringStore } from '../stores/memory-expiring-store.js';
import type { SecurityUser } from '../users/user-provider.js';
import type { OAuthClient, OAuthClientOptions, OAuthTokens } from './oauth-client.js';
import { createOAuthClient } from './oauth-client.js';
import { hostCookieName } from '../secrets/host-cookie.js';

export interface OAuthLoginOptions extends OAuthClientOptions {
  /**
   * Name of the provider in paths, cookies and records: lower-case letters, digits and hyphens. Unique within its
   * firewall.
   */
  readonly name: string;
  /** Secret for signing the cookie of a login in progress: at least 32 random characters. */
  readonly secret: string | readonly string[];
  /**
   * Finds or creates the user of an account; undefined refuses the login. The provider of the firewall must know the
   * identifier of the user.
   */
  readonly findUser: (
    account: OAuthTokens,
    request: HttpRequest,
  ) => SecurityUser | undefined | Promise<SecurityUser | undefined>;
  /**
   * Default `openid email profile`. Without `openid` it is plain OAuth 2, and `findUser` must query the provider for the
   * identity.
   */
  readonly scope?: string;
  /** Additional parameters of the authorization request: `{ prompt: 'select_account' }`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Path where logins start. Default `/login/<name>`. */
  readonly startPath?: string;
  /** Path that the provider redirects the browser to; needs no route. Default `<startPath>/callback`. */
  readonly callbackPath?: string;
  /** Redirect URI that is registered at the provider. Default: the origin of the request and the callback path. */
  readonly redirectUri?: string;
  /** Path to redirect to after a login if no target page is known. Default `/`. */
  readonly defaultTarget?: string;
  /** Path to redirect to after a failure, with `?error=<reason>`. Default `/login`. */
  readonly failurePath?: string;
  /** Store for completed logins, so that each callback works only once. Default: the memory of this process. */
  readonly store?: ExpiringStore;
}

/** Login at another site: the controller that starts it, and the authenticator that completes it. */
export interface OAuthLogin {
  /** A controller: `app.get(login.startPath, login.start)`. `?target=/path` sets the page to open after the login. */
  readonly start: (context: { readonly request: HttpRequest }) => Promise<HttpResponse>;
  readonly startPath: string;
  readonly authenticator: Authenticator;
}

/** A login in progress, stored in a signed cookie of the browser that started it. */
interface Transaction {
  readonly state: string;
  readonly nonce: string | undefined;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly target: string | undefined;
}

/** Seconds within which the login at the provider must be completed. */
const lifetimeSeconds = 600;

/**
 * Creates a login with OpenID Connect or OAuth 2: authorization code with PKCE (RFC 7636), state, nonce, and the check of
 * the issuer of the answer (RFC 9207), as RFC 9700 requires. Needs the package `openid-client`.
 */
export function createOAuthLogin(options: OAuthLoginOptions): OAuthLogin {
  const { name, scope = 'openid email profile', startPath = `/login/${name}` } = options;
  if (!/^[a-z0-9-]{1,40}$/.test(name))
    throw badOption(
      'createOAuthLogin',
      'name',
      `"${name}"; use 1 to 40 lower-case letters, digits and hyphens`,
    );
  const callbackPath = options.callbackPath ?? `${startPath}/callback`;
  const client = createOAuthClient(options);
  const transactions = createTransactions(options);
  return {
    startPath,
    async start({ request }) {
      const redirectUri = options.redirectUri ?? request.origin + callbackPath;
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
      const url = await client.authorizationUrl(parameters).catch((cause: unknown) => {
        throw new HttpError(502, `The login at ${name} cannot be started.`, { cause });
      });
      const response = HttpResponse.redirect(url, { external: true });
      response.headers.set('Cache-Control', 'no-store');
      transactions.begin(request, response, begun);
      return response;
    },
    authenticator: createAuthenticator(options, { client, transactions, startPath, callbackPath }),
  };
}

interface Parts {
  readonly client: OAuthClient;
  readonly transactions: Transactions;
  readonly startPath: string;
  readonly callbackPath: string;
}

/** Creates the authenticator that completes a login at the callback path. */
function createAuthenticator(
  options: OAuthLoginOptions,
  { client, transactions, startPath, callbackPath }: Parts,
): Authenticator {
  const { name, defaultTarget = '/', failurePath = '/login' } = options;
  const findLoginTarget = (request: HttpRequest): string | undefined =>
    transactions.find(request)?.target ?? findTarget(request);
  return {
    name,
    isInteractive: true,
    supports: (request) => request.method === 'GET' && request.path === callbackPath,
    async authenticate(request) {
      const begun = await transactions.take(request);
      const failure = request.query.get('error');
      if (failure !== null)
        throw new AuthenticationError('provider', `${name} answered ${failure.slice(0, 100)}.`);
      const callback = new URL(begun.redirectUri);
      callback.search = request.rawQuery;
      const account = await client.exchange(callback, begun).catch((cause: unknown) => {
        throw new AuthenticationError('provider', `The answer of ${name} is not valid.`, { cause });
      });
      const user = await options.findUser(account, request);
      if (user === undefined)
        throw new AuthenticationError('credentials', `No user has this account of ${name}.`);
      return { identifier: user.identifier, badges: [], loadUser: () => user };
    },
    findTarget: findLoginTarget,
    onSuccess(request) {
      const response = redirectToTarget(request, findLoginTarget(request) ?? defaultTarget);
      transactions.end(request, response);
      return response;
    },
    onFailure(request, error) {
      const response = redirectToFailure(failurePath, error);
      // A forged callback must not abort the login in progress.
      if (error.reason !== 'state') transactions.end(request, response);
      return response;
    },
    challenge: (request) => redirectToLogin(request, startPath),
  };
}

type Transactions = ReturnType<typeof createTransactions>;

function createTransactions(options: OAuthLoginOptions) {
  const cookies = createSignedCookies({
    secret: options.secret,
    lifetimeSeconds,
  });
  const store = options.store ?? createMemoryExpiringStore({ limit: 1_000_000 });
  const nameFor = (request: HttpRequest): string => hostCookieName(request, `oauth_${options.name}`);
  const find = (request: HttpRequest): Transaction | undefined => {
    const text = cookies.get(request, nameFor(request));
    return text === undefined ? undefined : (JSON.parse(text) as Transaction); // signed and written by begin() below
  };
  return {
    find,
    begin: (request: HttpRequest, response: HttpResponse, transaction: Transaction): void =>
      cookies.set(request, response, { name: nameFor(request), value: JSON.stringify(transaction) }),
    /** Returns the login that the `state` of the callback belongs to, once. Otherwise throws an `AuthenticationError`. */
    async take(request: HttpRequest): Promise<Transaction> {
      const begun = find(request);
      if (begun === undefined)
        throw new AuthenticationError('state', 'No login was started in this browser, or too long ago.');
      const states = request.query.getAll('state');
      if (states.length !== 1 || !equalSecrets(states[0] ?? '', begun.state))
        throw new AuthenticationError('state', 'The state does not belong to the login started here.');
      const key = `oauth:${hashToken(begun.state)}`;
      if (!(await store.put(key, '', { lifetime: lifetimeSeconds * 1000, expected: null })))
        throw new AuthenticationError('state', 'This login has already been completed.');
      return begun;
    },
    end: (request: HttpRequest, response: HttpResponse): void =>
      cookies.remove(request, response, { name: nameFor(request) }),
  };
}
