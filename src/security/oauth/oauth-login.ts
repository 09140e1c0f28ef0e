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
  /** Names the provider in paths, cookies and records: lower-case letters, digits and hyphens. Unique in its firewall. */
  readonly name: string;
  /** What the cookie of a login under way is signed with: at least 32 random characters. */
  readonly secret: string | readonly string[];
  /** Finds (or makes) the user of an account; undefined refuses the login. The firewall's provider has to know the user's identifier. */
  readonly findUser: (
    account: OAuthTokens,
    request: HttpRequest,
  ) => SecurityUser | undefined | Promise<SecurityUser | undefined>;
  /** Default `openid email profile`. Without `openid` it is plain OAuth 2, and `findUser` has to query the provider who it is. */
  readonly scope?: string;
  /** Further parameters of the authorization request: `{ prompt: 'select_account' }`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Where logins begin. Default `/login/<name>`. */
  readonly startPath?: string;
  /** Where the provider sends the browser back to; no route is needed. Default `<startPath>/callback`. */
  readonly callbackPath?: string;
  /** The redirect URI that the provider knows. Default: the request's origin and the callback path. */
  readonly redirectUri?: string;
  /** Where a login leads that came from nowhere. Default `/`. */
  readonly defaultTarget?: string;
  /** Where a failure leads, with `?error=<reason>`. Default `/login`. */
  readonly failurePath?: string;
  /** Where used logins are noted, so that each callback works once. Default: this process's memory. */
  readonly store?: ExpiringStore;
}

/** Login at another site: the route that begins it, and the authenticator that ends it. */
export interface OAuthLogin {
  /** A controller: `app.get(login.startPath, login.start)`. `?target=/path` sets the page to open after the login. */
  readonly start: (context: { readonly request: HttpRequest }) => Promise<HttpResponse>;
  readonly startPath: string;
  readonly authenticator: Authenticator;
}

/** A login under way, kept in a signed cookie of the browser that began it. */
interface Transaction {
  readonly state: string;
  readonly nonce: string | undefined;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly target: string | undefined;
}

/** Seconds for the visit at the provider. */
const lifetimeSeconds = 600;

/**
 * Login with OpenID Connect or OAuth 2: authorization code with PKCE (RFC 7636), state, nonce and the check of the
 * answer's issuer (RFC 9207), as RFC 9700 requires. Needs the package `openid-client`.
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

/** Ends a login at the callback's path. */
function createAuthenticator(
  options: OAuthLoginOptions,
  { client, transactions, startPath, callbackPath }: Parts,
): Authenticator {
  const { name, defaultTarget = '/', failurePath = '/login' } = options;
  const askedTarget = (request: HttpRequest): string | undefined =>
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
    findTarget: askedTarget,
    onSuccess(request) {
      const response = redirectToTarget(request, askedTarget(request) ?? defaultTarget);
      transactions.end(request, response);
      return response;
    },
    onFailure(request, error) {
      const response = redirectToFailure(failurePath, error);
      // A forged callback must not end the login that is under way.
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
    return text === undefined ? undefined : (JSON.parse(text) as Transaction); // signed by begin() below
  };
  return {
    find,
    begin: (request: HttpRequest, response: HttpResponse, transaction: Transaction): void =>
      cookies.set(request, response, { name: nameFor(request), value: JSON.stringify(transaction) }),
    /** The one that the callback's `state` belongs to, once. Throws an `AuthenticationError`. */
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
