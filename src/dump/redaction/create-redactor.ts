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

/** Hides secrets before anything is stored or shown. Every method returns its input unchanged when nothing is secret, and never throws. */
export interface Redactor {
  /** Whether the value of this name (header, key, field, variable) is hidden. */
  isSecretName(name: string): boolean;
  /** The value of a header, field or variable: hidden by its name, otherwise searched as text. */
  value(name: string, value: string): string;
  /**
   * Free text: messages, log lines, stacks. SQL in it is cut to its shape, since errors of databases repeat the failed
   * statement with its values; `named` does so only where it names a secret, `whole` never.
   */
  text(text: string, options?: { readonly statements?: StatementRule }): string;
  /** A URL, whole or only path and query. */
  url(url: string): string;
  /** A query string or a form body. */
  query(query: string): string;
  /** JSON text, also when it is cut off. */
  json(json: string): string;
  /** A `multipart/…` body, also when it is cut off; `boundary` is the parameter of its media type. */
  multipart(text: string, boundary?: string): string;
  /** Header names and values in turn, as `rawHeaders` has them; the same array when nothing is secret. */
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

/** Headers whose values carry nothing personal: not looked at, since this runs for every request. */
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

/** Creates a redactor. One per application is enough; it stores only a bounded list of names it has seen. */
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
  /** Of the fields of a list, those whose values are looked at, by their places. */
  const looked = new NameLists((names) =>
    names
      .map((name, at) => ({ rule: ruleOf(name), place: at * 2 + 1 }))
      .filter(({ rule }) => rule !== 'keep'),
  );
  const redactor: Redactor = {
    isSecretName,
    text: (text, options) => redactText(text, rules, options?.statements),
    url: (url) => redactUrl(url, redactor),
    query: (query) => redactQuery(query, redactor),
    json: (json) => redactJson(json, redactor),
    multipart: (text, boundary) => redactMultipart(text, boundary, redactor),
    value: (name, value) => (value === '' ? value : byRule(ruleOf(name), value, redactor)),
    headers(flat) {
      let copy: string[] | undefined;
      const fields = looked.of(flat);
      for (let at = 0; at < fields.length; at++) {
        const { rule = 'keep', place = 0 } = fields[at] ?? {};
        const value = flat[place] ?? '';
        const clean = value === '' ? value : byRule(rule, value, redactor);
        if (clean === value) continue;
        copy ??= [...flat]; // slice() of a frozen list takes ten times as long
        copy[place] = clean;
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

function byRule(rule: HeaderRule, value: string, redactor: Redactor): string {
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
