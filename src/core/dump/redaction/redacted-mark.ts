import { hash, randomBytes } from 'node:crypto';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** Decodes percent-encoded text as far as possible: malformed escapes stay, and invalid UTF-8 becomes U+FFFD. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
  );
}

/** Replaces a secret that could be guessed if it had a mark. */
export const redactedMark = '[redacted]';

/** A replaced secret, with or without a mark. */
const hiddenText = String.raw`\[redacted(?:-[\da-f]{4})?\]`;
const hiddenAnywhere = new RegExp(`${hiddenText}|%5Bredacted(?:-[\\da-f]{4})?%5D`, 'i');
const hiddenOnly = new RegExp(`^${hiddenText}$`);

/** Returns whether a text contains a replaced secret, as such or percent-encoded. */
export function containsRedacted(text: string): boolean {
  return text.includes('redacted') && hiddenAnywhere.test(text);
}

/** Returns whether a text is a replaced secret and nothing else. */
export function isRedacted(text: string): boolean {
  return text.startsWith('[redacted') && hiddenOnly.test(text);
}

/**
 * Returns the text that replaces a secret: `[redacted-a3f1]`, with the same digits for the same secret throughout the
 * process, or `[redacted]` if the value could be guessed, such as a number or a word. No character of it has a meaning
 * in URLs, cookies or JSON. A replaced secret is returned unchanged.
 */
export function redactSecret(value: string): string {
  if (isRedacted(value)) return value;
  const secret = bareSecret(value);
  if (!looksGenerated(secret)) return redactedMark;
  // Cheaper than an HMAC, and as safe here: extending a hash takes all of its 64 digits, and only 4 are shown.
  return `[redacted-${hash('sha256', key + secret, 'hex').slice(0, 4)}]`;
}

/** Like `redactSecret`, for a value of any type; only strings get a mark. */
export function redactMember(value: unknown): string {
  return typeof value === 'string' ? redactSecret(value) : redactedMark;
}

/** Removes quotes, percent-encoding and an authorization scheme, which the same secret may have in some places and not in others. */
function bareSecret(value: string): string {
  const text = value.trim().replace(/^(?:bearer|basic|digest|negotiate|token) {1,4}/i, '');
  const quoted = /^(["'`])(.{0,8192})\1$/.exec(text);
  return decodePercent(quoted?.[2] ?? text);
}

/**
 * Returns whether a value looks generated, so that it cannot be found by trying likely values. Generated text often
 * switches between lower case, upper case, digits and punctuation; numbers, dates, addresses and words rarely do.
 */
export function looksGenerated(value: string): boolean {
  if (value.length < 12 || value.length > maxMarked || /[\s@]|\[redacted/.test(value)) return false;
  if (/^[A-Z]{2}\d{2}[A-Z\d]{8,30}$/.test(value)) return false; // an account number (IBAN)
  const start = value.slice(0, 256);
  if (start.replaceAll(/[^A-Za-z]/g, '').length < 3 || new Set(start).size < 8) return false;
  const changes = (start.match(/[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+/g) ?? []).length - 1;
  return changes >= Math.max(4, start.length / 4);
}

/** Longer values may be truncated in one place and complete in another. */
const maxMarked = 8192;
const keyName = 'lookback.redaction-key';

/**
 * The random key of the marks, the same in all threads, which inherit it when they start. It is kept in memory only, so
 * that records alone do not allow guesses to be tested.
 */
const key = sharedKey();

/**
 * Identifies the key, and thus the process: different marks with one key mean different secrets. Marks with different keys say nothing
 * about each other.
 */
export const markKeyId: string = hash('sha256', `id of ${key}`, 'hex').slice(0, 16);

function sharedKey(): string {
  const known = getEnvironmentData(keyName);
  if (typeof known === 'string') return known;
  const made = randomBytes(32).toString('hex');
  setEnvironmentData(keyName, made);
  return made;
}
