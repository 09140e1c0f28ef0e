import { hash, randomBytes } from 'node:crypto';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** Decodes percent-encoded text as far as possible: malformed escapes stay, and invalid UTF-8 becomes U+FFFD. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
  );
}

/** The text that replaces a secret of which nothing may be told. */
export const redactedMark = '[redacted]';

/** A replaced secret, with or without the mark that tells whether two secrets are equal. */
const hiddenText = String.raw`\[redacted(?:-[\da-f]{4})?\]`;
const hiddenAnywhere = new RegExp(`${hiddenText}|%5Bredacted(?:-[\\da-f]{4})?%5D`, 'i');
const hiddenOnly = new RegExp(`^${hiddenText}$`);

/** Whether a text contains a replaced secret, also one encoded for a URL. */
export function containsRedacted(text: string): boolean {
  return text.includes('redacted') && hiddenAnywhere.test(text);
}

/** Whether a text is a replaced secret and nothing else. */
export function isRedacted(text: string): boolean {
  return text.startsWith('[redacted') && hiddenOnly.test(text);
}

/**
 * Returns the text that replaces a secret: `[redacted-a3f1]`, in which the digits are equal for equal secrets of one
 * process; `[redacted]` for values that could be guessed from them, such as numbers and words. The form has no
 * character with a meaning in URLs, cookies or JSON. A replaced secret is returned unchanged.
 */
export function redactSecret(value: string): string {
  if (isRedacted(value)) return value;
  const secret = bareSecret(value);
  if (!looksGenerated(secret)) return redactedMark;
  // Costs less than an HMAC, and is as safe here: 4 of 64 digits are too few to continue the hash with.
  return `[redacted-${hash('sha256', key + secret, 'hex').slice(0, 4)}]`;
}

/** Like {@link redactSecret}, for a value of any type; only texts are marked. */
export function redactMember(value: unknown): string {
  return typeof value === 'string' ? redactSecret(value) : redactedMark;
}

/** The same secret stands bare, in quotes, percent-encoded, or after an authorization scheme. */
function bareSecret(value: string): string {
  const text = value.trim().replace(/^(?:bearer|basic|digest|negotiate|token) {1,4}/i, '');
  const quoted = /^(["'`])(.{0,8192})\1$/.exec(text);
  return decodePercent(quoted?.[2] ?? text);
}

/**
 * Whether nobody can list the values among which this one is: a generated text changes often between kinds of
 * characters. Numbers, dates, addresses, account numbers, words, and words with a number at their end do not.
 */
function looksGenerated(value: string): boolean {
  if (value.length < 12 || value.length > maxMarked || /[\s@]|\[redacted/.test(value)) return false;
  if (/^[A-Z]{2}\d{2}[A-Z\d]{8,30}$/.test(value)) return false; // an account number (IBAN)
  const start = value.slice(0, 256);
  if (start.replaceAll(/[^A-Za-z]/g, '').length < 3 || new Set(start).size < 8) return false;
  const changes = (start.match(/[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+/g) ?? []).length - 1;
  return changes >= Math.max(4, start.length / 4);
}

/** Longer values are cut in one place and whole in another. */
const maxMarked = 8192;
const keyName = 'lookback.redaction-key';

/**
 * The random key of the marks: one for the process, read before its threads start, which inherit it, so that their
 * records can be compared. It stays in memory: who has only the records cannot test guesses.
 */
const key = sharedKey();

function sharedKey(): string {
  const known = getEnvironmentData(keyName);
  if (typeof known === 'string') return known;
  const made = randomBytes(32).toString('hex');
  setEnvironmentData(keyName, made);
  return made;
}
