import type { HttpRequest } from '#http';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Badge, Passport } from '../authentication/passport.js';
import { isFingerprintOf, userFingerprint } from '../authentication/user-fingerprint.js';
import { securityOf } from '../state/request-security.js';
import { equalSecrets } from '../secrets/equal-secrets.js';
import { hashToken, randomToken } from '../secrets/random-token.js';
import type { Signer } from '../secrets/signer.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { RememberMeCookie } from './remember-me-cookie.js';
import { createRememberMeCookie } from './remember-me-cookie.js';
import type { RememberedLogins, StoredLogin } from './remembered-login.js';
import { rememberedLogins } from './remembered-login.js';
import type { RememberMe, RememberMeOptions } from '../state/remember-me.js';

const cookiePattern = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/;
/** A token older than this is changed at use; the one before it is good for as long, for requests under way. */
const graceMs = 60_000;

/**
 * Remembering with a store: each device has a series and a token that changes at use. Whoever comes with a token that
 * was changed before copied it, or was copied: every device of the user is then forgotten.
 */
export function createPersistentRememberMe(
  signer: Signer,
  store: ExpiringStore,
  options: RememberMeOptions,
): RememberMe {
  const cookie = createRememberMeCookie(options);
  const logins = rememberedLogins(store, cookie.lifetime * 1000);
  const parts: Parts = { signer, logins, cookie };
  const forget: RememberMe['forget'] = async (request, security) => {
    const series = cookiePattern.exec(cookie.read(request) ?? '')?.[1];
    if (series !== undefined) await logins.remove(series);
    if (cookie.read(request) !== undefined) security.rememberMeCookie = cookie.renderRemoval(request);
  };
  return {
    authenticator: {
      name: 'remember-me',
      isInteractive: true,
      supports: (request) => cookie.read(request) !== undefined,
      authenticate: (request) => readPassport(parts, request),
      async onFailure(request) {
        await forget(request, securityOf(request));
        return undefined;
      },
    },
    async remember(request, user, { wanted, security }) {
      await forget(request, security);
      if (!wanted && options.always !== true) return;
      const [series, token] = [randomToken(18), randomToken()];
      const fingerprint = userFingerprint(signer, user);
      const login = { identifier: user.identifier, fingerprint, tokenHash: hashToken(token) };
      await logins.put(series, { ...login, rotatedAt: Date.now() }, undefined);
      security.rememberMeCookie = cookie.render(request, `${series}.${token}`);
    },
    forget,
  };
}

interface Parts {
  readonly signer: Signer;
  readonly logins: RememberedLogins;
  readonly cookie: RememberMeCookie;
}

async function readPassport(parts: Parts, request: HttpRequest): Promise<Passport> {
  const [, series, token] = cookiePattern.exec(parts.cookie.read(request) ?? '') ?? [];
  if (series === undefined || token === undefined) {
    throw new AuthenticationError('malformed', 'The remember-me cookie is malformed.');
  }
  const login = await parts.logins.find(series);
  if (login === undefined) throw new AuthenticationError('token', 'The remembered login is unknown.');
  return { identifier: login.identifier, badges: [tokenBadge(parts, request, { login, series, token })] };
}

function tokenBadge(
  parts: Parts,
  request: HttpRequest,
  { login, series, token }: { readonly login: StoredLogin; readonly series: string; readonly token: string },
): Badge {
  return {
    name: 'remembered-login',
    isResolved: false,
    async check({ user }) {
      const age = Date.now() - login.rotatedAt;
      const isCurrent = equalSecrets(hashToken(token), login.tokenHash);
      const isPrevious = equalSecrets(hashToken(token), login.previousHash ?? '');
      if (!isCurrent && !(isPrevious && age <= graceMs)) {
        await parts.logins.removeUser(login.identifier);
        throw new AuthenticationError('theft', 'A remember-me token was used after it had been changed.');
      }
      if (user === undefined || !isFingerprintOf(parts.signer, user, login.fingerprint)) {
        throw new AuthenticationError('token', 'The user is gone or has a new password.');
      }
      if (isCurrent && age > graceMs) await rotate(parts, request, { login, series });
    },
  };
}

async function rotate(
  { logins, cookie }: Parts,
  request: HttpRequest,
  { login, series }: { readonly login: StoredLogin; readonly series: string },
): Promise<void> {
  const token = randomToken();
  const rotation = { tokenHash: hashToken(token), previousHash: login.tokenHash, rotatedAt: Date.now() };
  // A faster request may have changed it meanwhile; its answer brings the new cookie.
  if (await logins.put(series, { ...login, ...rotation }, login)) {
    securityOf(request).rememberMeCookie = cookie.render(request, `${series}.${token}`);
  }
}
