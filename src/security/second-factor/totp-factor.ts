import { type HttpRequest, HttpResponse } from '#http';
import { AuthenticationError } from '../authentication/authentication-error.js';
import { createBadge, csrfBadge } from '../authentication/badges.js';
import type { Badge } from '../authentication/authenticator.js';
import { failureResponse } from '../login/failure-response.js';
import { findTarget, redirectToFailure, redirectToLogin, redirectToTarget } from '../login/target-path.js';
import { wantsPage } from '../login/wants-page.js';
import { hasJson, readBodyField } from '../requests/read-body.js';
import { hashToken } from '../secrets/random-token.js';
import { securityOf } from '../state/request-security.js';
import type { SecondFactor } from '../state/firewall.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import { chooseStore } from '../stores/memory-expiring-store.js';
import type { SecurityUser } from '../users/user-provider.js';
import { hashRecoveryCode } from './recovery-codes.js';
import { findTotpStep } from './totp.js';

export interface TotpFactorOptions {
  /**
   * Returns the secret of the user's authenticator app (base32), or undefined if the user has none: then no code is
   * required.
   */
  readonly findSecret: (user: SecurityUser) => string | undefined | Promise<string | undefined>;
  /**
   * Removes the hash of a recovery code (`createRecoveryCodes`) of the user in one atomic step, and returns whether it
   * existed. If omitted, recovery codes are not accepted.
   */
  readonly useRecoveryCode?: (user: SecurityUser, hash: string) => boolean | Promise<boolean>;
  /**
   * Path of the page with the form for the code, which the application serves; the form is posted to it. Default
   * `/login/code`.
   */
  readonly path?: string;
  /** Name of the form field, or key of the JSON object, with the code. Default `code`. */
  readonly field?: string;
  /** Path to redirect to after a login if no target page is known. Default `/`. */
  readonly defaultTarget?: string;
  /** Maximum number of wrong codes of one user within fifteen minutes. Default 5. */
  readonly tries?: number;
  /**
   * Store for used codes and for counts of wrong codes. Default: the session store if processes share it, otherwise the
   * memory of this process.
   */
  readonly store?: ExpiringStore;
}

const windowMs = 900_000;
/** How long used codes are stored: longer than the three time steps in which a code is valid. */
const usedCodeMs = 180_000;

/**
 * Time-based one-time codes (TOTP, RFC 6238) as the second step of a login: `secondFactor: totpFactor({ findSecret })` of a
 * firewall. Each code, including recovery codes, works once. Wrong codes are counted per user, from all addresses together.
 */
export function totpFactor(options: TotpFactorOptions): SecondFactor {
  const { path = '/login/code', field = 'code' } = options;
  const codeBadge = createCodeBadges(options);
  return {
    isRequired: async (user) => (await options.findSecret(user)) !== undefined,
    challenge(request, target) {
      if (!wantsPage(request))
        return failureResponse(new AuthenticationError('second-factor', 'No code yet.'));
      return redirectToLogin(request, path, target);
    },
    authenticator: {
      name: 'totp',
      isInteractive: true,
      supports: (request) => request.method === 'POST' && request.path === path,
      async authenticate(request) {
        const { pending } = securityOf(request);
        if (pending === undefined)
          throw new AuthenticationError(
            'expired',
            'The first step of the login is missing, or too long ago.',
          );
        const code = await readCode(request, field);
        const { user } = pending.token;
        return {
          identifier: user.identifier,
          loadUser: () => user,
          badges: [...(hasJson(request) ? [] : [csrfBadge()]), codeBadge(code)],
          wantsRememberMe: pending.wantsRememberMe,
        };
      },
      onSuccess(request, { user: { identifier, roles } }) {
        if (hasJson(request)) return HttpResponse.json({ user: { identifier, roles } });
        return redirectToTarget(request, findTarget(request) ?? options.defaultTarget ?? '/');
      },
      onFailure(request, error) {
        if (hasJson(request)) return failureResponse(error);
        if (error.reason === 'expired') throw error; // the access-denied listener redirects to the first step
        return redirectToFailure(path, error);
      },
    },
  };
}

/**
 * Returns a function that creates the badge for an entered code: its check counts the attempt, verifies the code and
 * marks it as used.
 */
function createCodeBadges(options: TotpFactorOptions): (code: string) => Badge {
  const storeOf = chooseStore(options.store); // only users who have passed the first factor are counted, so that attackers cannot fill the store

  async function isValidCode(user: SecurityUser, code: string, store: ExpiringStore): Promise<boolean> {
    const secret = await options.findSecret(user);
    if (secret === undefined) return false;
    const step = /^\d{6}$/.test(code) ? findTotpStep(secret, code) : undefined;
    if (step === undefined) return (await options.useRecoveryCode?.(user, hashRecoveryCode(code))) === true;
    const key = `totp:${hashToken(user.identifier)}:${step}`;
    return store.put(key, '', { lifetime: usedCodeMs, expected: null });
  }

  return (code) =>
    createBadge('totp', async ({ user, store: shared }) => {
      if (user === undefined) throw new AuthenticationError('code', 'No such user.');
      const store = storeOf(shared);
      const key = `codes:${hashToken(user.identifier)}`;
      const { isTaken, endsIn } = await store.take(key, options.tries ?? 5, windowMs);
      const retryAfter = Math.max(1, Math.ceil(endsIn / 1000));
      if (!isTaken) throw new AuthenticationError('throttled', 'Too many wrong codes.', { retryAfter });
      let outcome: 'free' | 'keep' | 'clear' = 'free'; // if a store fails, the attempt is not counted
      try {
        outcome = (await isValidCode(user, code, store)) ? 'clear' : 'keep';
      } finally {
        await store.settle(key, outcome);
      }
      if (outcome === 'keep') throw new AuthenticationError('code', 'The code is wrong or was used before.');
    });
}

async function readCode(request: HttpRequest, field: string): Promise<string> {
  const json: unknown = hasJson(request) ? await request.json() : undefined;
  const entered: unknown =
    typeof json === 'object' && json !== null && Object.hasOwn(json, field)
      ? (json as Readonly<Record<string, unknown>>)[field] // checked to be an object
      : await readBodyField(request, field);
  const code = typeof entered === 'string' ? entered.replace(/\s/g, '') : '';
  if (code === '' || code.length > 100)
    throw new AuthenticationError('malformed', `The field "${field}" contains no code.`);
  return code;
}
