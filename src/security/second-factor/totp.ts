import { createHmac, randomBytes } from 'node:crypto';
import { badOption } from '../errors/error-codes.js';
import { equalSecrets } from '../secrets/random-token.js';

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

export interface TotpAccount {
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
