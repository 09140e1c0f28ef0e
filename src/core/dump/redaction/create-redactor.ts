import { headerText } from './header-text.js';
import { redactJson, redactJsonInText } from './redact-json.js';
import {
  redactAuthorization,
  redactChallenge,
  redactCookies,
  redactProtocols,
  redactQuery,
  redactSetCookie,
  redactUrl,
} from './redact-url.js';
import { redactSecret } from './redacted-mark.js';
import type { StatementRule } from './redact-sql.js';
import { redactText } from './redact-text.js';
import { createSecretNameTest, type RedactorOptions } from './secret-names.js';

/**
 * Hides secrets in data to be stored or shown. Methods return their input unchanged if nothing is secret, and never
 * throw.
 */
export interface Redactor {
  /** Returns whether values with this name (of a header, key, field or variable) are hidden. */
  isSecretName(name: string): boolean;
  /** Redacts the value of a header, field or variable: completely if the name is secret, otherwise as text. */
  value(name: string, value: string): string;
  /**
   * Redacts free text: messages, log lines, stacks. Values in SQL statements become `?`, because database errors repeat
   * the failed statement; with `named` only in statements that contain a secret name, with `whole` in none.
   */
  text(text: string, options?: { readonly statements?: StatementRule }): string;
  url(url: string): string;
  query(query: string): string;
  /** Redacts JSON text, even if it is truncated. */
  json(json: string): string;
  /**
   * Redacts alternating header names and values, such as `rawHeaders`, for display; returns the same array if nothing
   * changes.
   */
  headers(flat: readonly string[]): readonly string[];
}

/** Redacts a field's value; undefined if it cannot contain a secret. */
type Rule = ((value: string, redactor: Redactor) => string) | undefined;

const asUrl: Rule = (value, redactor) => redactor.url(value);
/**
 * Headers with their own rule. For all others, the value is hidden if the name is secret, and otherwise redacted as
 * text.
 */
const headerRules = new Map<string, Rule>([
  ['cookie', redactCookies],
  ['set-cookie', redactSetCookie],
  ['authorization', redactAuthorization],
  ['proxy-authorization', redactAuthorization],
  ['authentication', redactAuthorization],
  ['authentication-info', redactSecret],
  ['x-amzn-oidc-data', redactSecret],
  ['x-ms-client-principal', redactSecret],
  ['www-authenticate', redactChallenge],
  ['proxy-authenticate', redactChallenge],
  ['sec-websocket-protocol', redactProtocols],
  ...'referer origin location content-location :path x-original-url x-rewrite-url'
    .split(' ')
    .map((name): [string, Rule] => [name, asUrl]),
  // Headers that nearly every request has, and that cannot contain a secret, are not searched.
  ...(
    'accept accept-charset accept-encoding accept-language accept-ranges age allow cache-control connection ' +
    'content-encoding content-language content-length content-range date dnt expires host if-modified-since ' +
    'if-unmodified-since keep-alive last-modified max-forwards pragma priority range save-data sec-ch-ua ' +
    'sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user te ' +
    'transfer-encoding upgrade upgrade-insecure-requests vary x-content-type-options x-frame-options ' +
    'x-robots-tag x-debug-token x-debug-token-link x-previous-debug-token :method :scheme :authority :status'
  )
    .split(' ')
    .map((name): [string, Rule] => [name, undefined]),
]);

/** Creates a redactor. One per application is enough; it caches only a bounded number of names. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const isSecretName = createSecretNameTest(options);
  const value = (name: string, text: string): string => {
    if (text === '') return text;
    const lower = name.toLowerCase();
    if (headerRules.has(lower)) return headerRules.get(lower)?.(text, redactor) ?? text;
    return isSecretName(name) ? redactSecret(text) : redactor.text(text);
  };
  const redactor: Redactor = {
    isSecretName,
    text(text, { statements = 'shape' } = {}) {
      const clean = redactText(text, isSecretName, { statements });
      return statements === 'shape' && clean.includes('"') ? redactJsonInText(clean, redactor) : clean;
    },
    url: (url) => redactUrl(url, redactor),
    query: (query) => redactQuery(query, redactor),
    json: (json) => redactJson(json, redactor),
    value,
    headers(flat) {
      let copy: string[] | undefined;
      for (let at = 1; at < flat.length; at += 2) {
        const clean = value(flat[at - 1] ?? '', headerText(flat[at] ?? ''));
        if (clean !== flat[at]) (copy ??= [...flat])[at] = clean; // slice() of a frozen list takes ten times as long
      }
      return copy ?? flat;
    },
  };
  return redactor;
}
