import { refuseUnknownOptions } from '#coded-error';
import type { HttpRequest } from '#http';
import { AuthenticationError, type Authenticator, createBadge } from '../authentication/authenticator.js';
import { badOption } from '../secrets/error-codes.js';
import { findTarget, pathFor, type PathOf, redirectToFailure, redirectToTarget } from './target-path.js';
import { hashToken, randomToken, type Signer, createSigner } from '../secrets/signed-cookies.js';
import { type ExpiringStore, createMemoryExpiringStore } from '../stores/expiring-store.js';
import type { SecurityUser } from '../users/user-provider.js';

interface LoginLinksOptions {
  /** Secret for signing links: at least 32 random characters. Of several, the first signs and all verify. */
  readonly secret: string | readonly string[];
  /** Origin of the site, `https://example.org`: links then are whole URLs. Default: links are paths with a query. */
  readonly origin?: string;
  /** Path of the links; needs no route. Default `/login/link`. */
  readonly path?: string;
  /** Seconds until a link expires. Default 600. */
  readonly lifetimeSeconds?: number;
  /** Number of logins that a link allows. Default 1. */
  readonly maxUses?: number;
  /** Store for counting uses. Default: the session store if processes share it, otherwise the memory of this process. */
  readonly store?: ExpiringStore;
  /**
   * True to accept links by POST only, because mail scanners open links with GET. The application's page at the path must
   * then post the query. Default false.
   */
  readonly postOnly?: boolean;
  /** Path to redirect to after a login if no target page is known, or a function of the request. Default `/`. */
  readonly defaultTarget?: PathOf;
  /** Path to redirect to after a failure, with `?error=<reason>`, or a function of the request. Default `/login`. */
  readonly failurePath?: PathOf;
}

/**
 * Links that log a user in. A link is signed and valid for a limited time and number of uses, until the password changes.
 */
export interface LoginLinks {
  /**
   * Returns a new link, to be sent to the user only: a URL of `origin`, or else path and query. Prepend a constant to the
   * latter, never `request.origin`: in production without `TRUSTED_HOSTS`, whoever requests the link chooses that.
   */
  create(user: SecurityUser): string;
  readonly authenticator: Authenticator;
}

export function createLoginLinks(options: LoginLinksOptions): LoginLinks {
  refuseUnknownOptions(
    'createLoginLinks()',
    options,
    'origin secret path lifetimeSeconds maxUses store postOnly defaultTarget failurePath',
  );
  const signer = createSigner(options.secret, 'the login links');
  const path = options.path ?? '/login/link';
  const { origin = '' } = options;
  if (origin !== '' && (!URL.canParse(origin) || new URL(origin).origin !== origin))
    throw badOption('createLoginLinks', 'origin', `"${origin}"; use an origin such as https://example.org`);
  let own: ExpiringStore | undefined; // only links with a valid signature are counted, so that attackers cannot fill it
  const maxUses = options.maxUses ?? 1;
  const methods = options.postOnly === true ? ['POST'] : ['GET', 'POST'];
  return {
    create(user) {
      const expires = String(Math.floor(Date.now() / 1000) + (options.lifetimeSeconds ?? 600));
      const id = randomToken(12);
      const hash = signer.sign('login-link', linkText(user, expires, id));
      return `${origin}${path}?${new URLSearchParams({ user: user.identifier, expires, id, hash }).toString()}`;
    },
    authenticator: {
      name: 'login-link',
      isInteractive: true,
      supports: (request) =>
        methods.includes(request.method) && request.path === path && request.query.has('hash'),
      authenticate(request) {
        const { identifier, expires, id, hash } = readLink(request);
        return {
          identifier,
          badges: [
            createBadge('login-link', async ({ user, store }) => {
              assertSigned(signer, user, { expires, id, hash });
              if (
                await countUse(
                  options.store ?? store ?? (own ??= createMemoryExpiringStore({ limit: Infinity })),
                  id,
                  { maxUses, expires },
                )
              )
                return;
              throw new AuthenticationError('expired', 'The link has already been used.');
            }),
          ],
        };
      },
      onSuccess(request) {
        const response = redirectToTarget(
          request,
          findTarget(request) ?? pathFor(options.defaultTarget ?? '/', request),
        );
        response.headers.set('Referrer-Policy', 'no-referrer'); // the next page must not receive the link
        return response;
      },
      onFailure: (request, error) =>
        redirectToFailure(pathFor(options.failurePath ?? '/login', request), error),
    },
  };
}

/**
 * Uses are kept this long after a link has expired: a process whose clock is behind may still accept the link, and must
 * find its uses.
 */
const clockToleranceMs = 600_000;

/** Counts one more use. Returns false if the link has no uses left, counted over all processes. */
async function countUse(
  store: ExpiringStore,
  id: string,
  { maxUses, expires }: { readonly maxUses: number; readonly expires: string },
): Promise<boolean> {
  if (maxUses < 1) return false;
  const lifetime = Math.max(0, Number(expires) * 1000 - Date.now()) + clockToleranceMs;
  return (await store.take(`link:${hashToken(id)}`, maxUses, lifetime)).isTaken;
}

function linkText(user: SecurityUser, expires: string, id: string): string {
  return JSON.stringify([user.identifier, expires, id, user.passwordHash ?? null]);
}

function readLink(request: HttpRequest): { identifier: string; expires: string; id: string; hash: string } {
  const { query } = request;
  const [identifier, expires, id, hash] = ['user', 'expires', 'id', 'hash'].map(
    (name) => query.get(name) ?? '',
  );
  if (!identifier || !id || !hash || expires === undefined || !/^\d{10,12}$/.test(expires)) {
    throw new AuthenticationError('malformed', 'The link is incomplete.');
  }
  if (Number(expires) * 1000 <= Date.now()) throw new AuthenticationError('expired', 'The link has expired.');
  return { identifier, expires, id, hash };
}

function assertSigned(
  signer: Signer,
  user: SecurityUser | undefined,
  link: { readonly expires: string; readonly id: string; readonly hash: string },
): void {
  if (user !== undefined && signer.verify('login-link', linkText(user, link.expires, link.id), link.hash))
    return;
  throw new AuthenticationError('token', 'The signature does not match the user and the password.');
}
