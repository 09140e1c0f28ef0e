import { randomBytes, createHmac } from 'node:crypto';
import { type OptionNames, refuseUnknownOptions, optionNames } from '#coded-error';
import { type HttpRequest, HttpResponse } from '#http';
import { AuthenticationError, createBadge, csrfBadge, type Badge } from '../authentication/authenticator.js';
import { wantsPage, hasJson, readBodyField } from '../requests/request-conditions.js';
import { badOption } from '../secrets/error-codes.js';
import { hashToken, equalSecrets } from '../secrets/signed-cookies.js';
import type { SecondFactor } from '../state/firewall.js';
import { securityOf } from '../state/request-security.js';
import { type ExpiringStore, chooseStore } from '../stores/expiring-store.js';
import type { SecurityUser } from '../users/user-provider.js';
import {
  failureResponse,
  findTarget,
  redirectToFailure,
  redirectToLogin,
  redirectToTarget,
} from './target-path.js';

interface TotpFactorOptions {
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
  /** Maximum number of wrong codes of one user within fifteen minutes; as many wrong recovery codes. Default 5. */
  readonly tries?: number;
  /**
   * Store for used codes and for counts of wrong codes. Default: the session store if processes share it, otherwise the
   * memory of this process.
   */
  readonly store?: ExpiringStore;
}

const totpFactorOptionNames: OptionNames<TotpFactorOptions> = optionNames(
  'findSecret useRecoveryCode path field defaultTarget tries store',
);

const windowMs = 900_000;
/** How long used codes are stored: longer than the three time steps in which a code is valid. */
const usedCodeMs = 180_000;
const totpPattern = /^\d{6}$/;

/**
 * Time-based one-time codes (TOTP, RFC 6238) as the second step of a login: `secondFactor: totpFactor({ findSecret })` of a
 * firewall. Each code, including recovery codes, works once. Wrong codes are counted per user, from all addresses together.
 */
export function totpFactor(options: TotpFactorOptions): SecondFactor {
  refuseUnknownOptions('totpFactor()', options, totpFactorOptionNames);
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
    if (!totpPattern.test(code))
      return (await options.useRecoveryCode?.(user, hashRecoveryCode(code))) === true;
    const step = findTotpStep(secret, code);
    const key = `totp:${hashToken(user.identifier)}:${step}`;
    return step !== undefined && store.put(key, '', { lifetime: usedCodeMs, expected: null });
  }

  return (code) =>
    createBadge('totp', async ({ user, store: shared }) => {
      if (user === undefined) throw new AuthenticationError('code', 'No such user.');
      const store = storeOf(shared);
      // Counted apart: who knows the password and guesses codes must not lock the recovery codes of the owner as well.
      const key = `${totpPattern.test(code) ? 'codes' : 'recovery'}:${hashToken(user.identifier)}`;
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

/** Codes that replace a one-time code if the authenticator app is lost. */
interface RecoveryCodes {
  /** Codes of 80 random bits, `ABCD-EFGH-IJKL-MNOP`. Show them to the user once. */
  readonly codes: readonly string[];
  /** Hashes of the codes, to be stored instead of them. A hash must be removed when its code is used. */
  readonly hashes: readonly string[];
}

/** Creates recovery codes, ten by default. Store them instead of all earlier codes of the user. */
export function createRecoveryCodes(count = 10): RecoveryCodes {
  const codes = Array.from({ length: count }, () => toBase32(randomBytes(10)).replace(/.{4}(?=.)/g, '$&-'));
  return { codes, hashes: codes.map(hashRecoveryCode) };
}

/** Returns the hash of an entered recovery code; ignores case, spaces and hyphens. */
export function hashRecoveryCode(code: string): string {
  return hashToken(`recovery ${code.toUpperCase().replace(/[\s-]/g, '')}`);
}

/** The alphabet of base32 (RFC 4648 section 6), the encoding of secrets for authenticator apps. */
const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Length of a time step in seconds, and digits of a code: the only values that all authenticator apps support. */
const stepSeconds = 30;
const codeDigits = 6;

/**
 * Creates a secret for an authenticator app: 160 random bits as base32 (RFC 4226 section 4). Store it encrypted, or where
 * only the login can read it.
 */
export function createTotpSecret(): string {
  return toBase32(randomBytes(20));
}

interface TotpAccount {
  readonly secret: string;
  /** Name of the account in the app, e.g. an e-mail address. */
  readonly account: string;
  /** Name of the site in the app. */
  readonly issuer: string;
}

/** Returns the `otpauth:` URI of a secret, the content of QR codes for authenticator apps. */
export function totpUri({ secret, account, issuer }: TotpAccount): string {
  const label = [issuer, account].map((text) => encodeURIComponent(text)).join(':');
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

/** Returns the code of a secret at a time in milliseconds since 1970 (RFC 6238, SHA-1, 30 seconds, six digits). */
export function totpCode(secret: string, time: number = Date.now()): string {
  return codeAt(fromBase32(secret), Math.floor(time / 1000 / stepSeconds));
}

/**
 * Finds the time step (count of 30-second steps since 1970) of a code: the current step, the previous one or the next one,
 * because clocks differ. Returns undefined for a wrong code. After accepting a code, refuse its step from then on.
 */
export function findTotpStep(secret: string, code: string, time: number = Date.now()): number | undefined {
  const key = fromBase32(secret);
  const now = Math.floor(time / 1000 / stepSeconds);
  let found: number | undefined;
  for (const step of [now, now - 1, now + 1]) if (equalSecrets(codeAt(key, step), code)) found ??= step;
  return found;
}

/** Computes the HOTP value (RFC 4226 section 5.3) of a time step. */
function codeAt(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number % 10 ** codeDigits).padStart(codeDigits, '0');
}

export function toBase32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return bits.replace(/.{1,5}/g, (five) => base32Alphabet[parseInt(five.padEnd(5, '0'), 2)] ?? '');
}

/**
 * Decodes base32; ignores spaces, hyphens, padding and case. Refuses short texts: everyone could compute the codes of an
 * empty secret.
 */
function fromBase32(text: string): Uint8Array {
  const letters = text.toUpperCase().replace(/[\s=-]/g, '');
  if (!/^[A-Z2-7]{16,200}$/.test(letters))
    throw badOption(
      'a time-based code',
      'secret',
      'not a base32 text of at least 16 letters; create one with createTotpSecret()',
    );
  const bits = Array.from(letters, (letter) => base32Alphabet.indexOf(letter).toString(2).padStart(5, '0'));
  return Uint8Array.from(bits.join('').match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
}
