import { NameLists } from './name-lists.js';
import { redactJson } from './redact-json.js';
import { redactMultipart } from './redact-multipart.js';
import {
  redactAuthorization,
  redactCookies,
  redactProtocols,
  redactQuery,
  redactSetCookie,
  redactUrl,
} from './redact-query.js';
import { redactedMark } from './redacted-mark.js';
import type { StatementRule } from './redact-sql.js';
import { redactText } from './redact-text.js';
import { createSecretNameTest, type RedactorOptions } from './secret-names.js';

/** Hides secrets in data to be stored or shown. Methods return their input unchanged if nothing is secret, and never throw. */
export interface Redactor {
  /** Returns whether values with this name (of a header, key, field or variable) are hidden. */
  isSecretName(name: string): boolean;
  /** Redacts the value of a header, field or variable: completely if the name is secret, otherwise as text. */
  value(name: string, value: string): string;
  /**
   * Redacts free text: messages, log lines, stacks. Values in SQL statements are replaced by `?`, since errors of databases
   * repeat the failed statement; with `named` only in statements that contain a secret name, with `whole` in none.
   */
  text(text: string, options?: { readonly statements?: StatementRule }): string;
  /** Redacts a URL, absolute or relative. */
  url(url: string): string;
  /** Redacts a query string or a form body. */
  query(query: string): string;
  /** Redacts JSON text, even if it is truncated. */
  json(json: string): string;
  /** Redacts a `multipart/…` body, even if it is truncated; `boundary` is the parameter of its media type. */
  multipart(text: string, boundary?: string): string;
  /** Redacts alternating header names and values, like `rawHeaders`; returns the same array if nothing is secret. */
  headers(flat: readonly string[]): readonly string[];
}

type HeaderRule =
  | 'keep'
  | 'secret'
  | 'protocols'
  | 'cookies'
  | 'set-cookie'
  | 'authorization'
  | 'url'
  | 'text';

/** Headers without secrets. Their values are not searched, since this runs for every request. */
const harmlessHeaders = new Set(
  (
    'accept accept-charset accept-encoding accept-language accept-ranges age allow cache-control connection ' +
    'content-disposition content-encoding content-language content-length content-range content-type date dnt etag ' +
    'expect expires host if-match if-modified-since if-none-match if-range if-unmodified-since keep-alive ' +
    'last-modified max-forwards origin pragma priority range retry-after save-data sec-ch-ua sec-ch-ua-mobile ' +
    'sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user server te trailer ' +
    'transfer-encoding upgrade upgrade-insecure-requests user-agent vary x-content-type-options x-frame-options ' +
    'server-timing x-robots-tag x-debug-token x-debug-token-link x-previous-debug-token :method :scheme :authority :status'
  ).split(' '),
);
const urlHeaders = new Set([
  'referer',
  'location',
  'content-location',
  ':path',
  'x-original-url',
  'x-rewrite-url',
]);

/** Creates a redactor. One per application is enough; it caches only a bounded number of names. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const isSecretName = createSecretNameTest(options);
  const customNames = (options.keys ?? []).length > 0;
  const rules = { isSecretName, customNames };
  const known = new Map<string, HeaderRule>();
  const ruleOf = (name: string): HeaderRule => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const rule = headerRule(name.toLowerCase(), isSecretName);
    if (known.size >= 1000) known.clear();
    if (name.length <= 128) known.set(name, rule);
    return rule;
  };
  /** For each list of names: the fields whose values have to be examined, and their indexes. */
  const examined = new NameLists((names) =>
    names
      .map((name, at) => ({ rule: ruleOf(name), index: at * 2 + 1 }))
      .filter(({ rule }) => rule !== 'keep'),
  );
  const redactor: Redactor = {
    isSecretName,
    text: (text, options) => redactText(text, rules, options?.statements),
    url: (url) => redactUrl(url, redactor),
    query: (query) => redactQuery(query, redactor),
    json: (json) => redactJson(json, redactor),
    multipart: (text, boundary) => redactMultipart(text, boundary, redactor),
    value: (name, value) => (value === '' ? value : redactByRule(ruleOf(name), value, redactor)),
    headers(flat) {
      let copy: string[] | undefined;
      const fields = examined.of(flat);
      for (let at = 0; at < fields.length; at++) {
        const { rule = 'keep', index = 0 } = fields[at] ?? {};
        const value = flat[index] ?? '';
        const clean = value === '' ? value : redactByRule(rule, value, redactor);
        if (clean === value) continue;
        copy ??= [...flat]; // slice() of a frozen list takes ten times as long
        copy[index] = clean;
      }
      return copy ?? flat;
    },
  };
  return redactor;
}

function headerRule(name: string, isSecretName: (name: string) => boolean): HeaderRule {
  if (name === 'cookie') return 'cookies';
  if (name === 'set-cookie') return 'set-cookie';
  if (name === 'authorization' || name === 'proxy-authorization') return 'authorization';
  if (name === 'sec-websocket-protocol') return 'protocols';
  if (isSecretName(name)) return 'secret';
  if (urlHeaders.has(name)) return 'url';
  return harmlessHeaders.has(name) ? 'keep' : 'text';
}

function redactByRule(rule: HeaderRule, value: string, redactor: Redactor): string {
  switch (rule) {
    case 'keep':
      return value;
    case 'secret':
      return redactedMark;
    case 'protocols':
      return redactor.text(redactProtocols(value));
    case 'cookies':
      return redactCookies(value);
    case 'set-cookie':
      return redactSetCookie(value);
    case 'authorization':
      return redactAuthorization(value);
    case 'url':
      return redactor.url(value);
    case 'text':
      return redactor.text(value);
  }
}
