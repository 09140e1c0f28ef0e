import { safely } from '#core/coded-error';
import {
  checkOptions,
  flag,
  number,
  optionsSchema,
  type OptionsSchema,
  required,
  text,
  whole,
} from '#core/options';
import { type HttpRequest, isOrigin } from '#core/http';
import { parseBasePath } from '#core/routing';
import { AuthenticationError, type Authenticator, createBadge } from '../authentication/authenticator.js';
import { badOption } from '../secrets/error-codes.js';
import { targetPath, type PathOf, answerFailure, answerSuccess } from './target-path.js';
import { hashToken, randomToken, createSigner, signingSecret } from '../secrets/signed-cookies.js';
import { boundStore } from '../stores/bound-store.js';
import {
  createMemoryExpiringStore,
  type ExpiringStore,
  expiringStore,
  longestSeconds,
} from '../stores/expiring-store.js';
import type { SecurityUser } from '../users/user-provider.js';

interface LoginLinksOptions {
  /** Secret for signing links: at least 32 random characters. With several, the first signs and all verify. */
  readonly secret: string | readonly string[];
  /**
   * Origin of the site, `https://example.org`, with the base path if it has one (`https://example.org/app`): links are
   * then absolute URLs. Default: links are paths with a query.
   */
  readonly origin?: string;
  /** The links' path; needs no route. Default `/login/link`. */
  readonly path?: string;
  /** Seconds until a link expires. Default 600. */
  readonly lifetimeSeconds?: number;
  /** Number of logins that a link allows. Default 1. */
  readonly maxUses?: number;
  /** Store for counting uses. Default: the session store if processes share it, otherwise this process's memory. */
  readonly store?: ExpiringStore;
  /**
   * True to accept links only by POST, because mail scanners open links with GET. The application's page at the path
   * must then post the query. Default false.
   */
  readonly postOnly?: boolean;
  /** Path to redirect to after a login if no target page is known, or a function that gets the request. Default `/`. */
  readonly defaultTarget?: PathOf;
  /** Path to redirect to after a failure, with `?error=<reason>`, or a function that gets the request. Default `/login`. */
  readonly failurePath?: PathOf;
}

export const loginLinksSchema: OptionsSchema<LoginLinksOptions> = optionsSchema<LoginLinksOptions>({
  secret: required(signingSecret),
  origin: text,
  path: text,
  lifetimeSeconds: number({ min: 1, max: longestSeconds, unit: 'seconds' }),
  maxUses: whole({ min: 1 }),
  store: expiringStore,
  postOnly: flag,
  defaultTarget: targetPath,
  failurePath: targetPath,
});

/** Signed links that log a user in, for a limited time and number of uses, until the password changes. */
export interface LoginLinks {
  /**
   * Returns a new link to send to the user only: a URL on `origin`, otherwise path and query. Prepend a constant to the
   * latter, never `request.origin`: in production without `TRUSTED_HOSTS`, whoever requests the link can choose it.
   */
  create(user: SecurityUser): string;
  readonly authenticator: Authenticator;
}

export function createLoginLinks(options: LoginLinksOptions): LoginLinks {
  checkOptions('createLoginLinks()', options, loginLinksSchema);
  const { origin = '', path = '/login/link', lifetimeSeconds = 600, maxUses = 1, postOnly = false } = options;
  const { defaultTarget = '/', failurePath = '/login' } = options;
  const signer = createSigner(options.secret, 'the login links');
  const base = origin === '' ? '' : parseBase(origin);
  let own: ExpiringStore | undefined; // only links with a valid signature are counted, so that attackers cannot fill it
  return {
    create(user) {
      const expires = String(Math.floor(Date.now() / 1000 + lifetimeSeconds));
      const link = { user: user.identifier, expires, id: randomToken(12) };
      const hash = signer.sign(signingPurpose, textToSign(user, link));
      return `${base}${path}?${new URLSearchParams({ ...link, hash }).toString()}`;
    },
    authenticator: {
      name: 'login-link',
      isInteractive: true,
      supports: (request) =>
        (request.method === 'POST' || (request.method === 'GET' && !postOnly && isFollowed(request))) &&
        request.path === path &&
        request.query.has('hash'),
      methodsOf: (request) => (request.path !== path ? [] : postOnly ? ['POST'] : ['GET', 'POST']),
      authenticate({ query }) {
        const link = readLink(query);
        const badge = createBadge('login-link', async ({ user, store }) => {
          if (user === undefined || !signer.verify(signingPurpose, textToSign(user, link), link.hash))
            throw new AuthenticationError('token', 'The signature does not match the user and the password.');
          const uses = options.store ?? store ?? (own ??= createMemoryExpiringStore({ limit: Infinity }));
          const lifetime = Number(link.expires) * 1000 - Date.now() + clockToleranceMs;
          if (!(await boundStore(uses).take(`link:${hashToken(link.id)}`, maxUses, lifetime)).isTaken)
            throw new AuthenticationError('expired', 'The link has already been used.');
        });
        return { identifier: link.user, badges: [badge] };
      },
      onSuccess(request, token) {
        const response = answerSuccess(request, token, { target: undefined, otherwise: defaultTarget });
        response.headers.set('Referrer-Policy', 'no-referrer'); // the next page must not receive the link
        return response;
      },
      onFailure: (request, error) => answerFailure(request, failurePath, error),
    },
  };
}

const purposeFields = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/**
 * Whether someone followed the link: no browser fetches it in advance, and no page loads it as an image or a script.
 * Scanners' HEAD requests do not count as a use either.
 */
function isFollowed({ headers }: HttpRequest): boolean {
  if (headers.get('sec-fetch-mode') === 'no-cors') return false;
  return !purposeFields.some((name) => /prefetch|prerender|preview/i.test(headers.get(name) ?? ''));
}

/** Parses an origin, which may include a base path. */
function parseBase(text: string): string {
  const origin = safely(() => new URL(text).origin, '');
  const basePath = text.startsWith(origin) ? parseBasePath(text.slice(origin.length)) : undefined;
  if (basePath !== undefined && isOrigin(origin)) return origin + basePath;
  throw badOption(
    'createLoginLinks',
    'origin',
    `"${text}"; use an origin such as https://example.org, with the base path if there is one`,
  );
}

/**
 * Uses are kept this long after the link expires: a process whose clock is behind may still accept it, and must find
 * them.
 */
const clockToleranceMs = 600_000;

const signingPurpose = 'login-link';

/** A link's parameters besides its signature. */
interface Link {
  readonly user: string;
  /** Seconds since 1970. */
  readonly expires: string;
  readonly id: string;
}

function textToSign({ identifier, passwordHash }: SecurityUser, { expires, id }: Link): string {
  return JSON.stringify([identifier, expires, id, passwordHash ?? null]);
}

function readLink(query: URLSearchParams): Link & { readonly hash: string } {
  const read = (name: string): string => query.get(name) ?? '';
  const link = { user: read('user'), expires: read('expires'), id: read('id'), hash: read('hash') };
  if (link.user === '' || link.id === '' || link.hash === '' || !/^\d{10,12}$/.test(link.expires))
    throw new AuthenticationError('malformed', 'The link is incomplete.');
  if (Number(link.expires) * 1000 <= Date.now())
    throw new AuthenticationError('expired', 'The link has expired.');
  return link;
}
