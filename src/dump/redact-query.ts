import { redactedMark } from './redact-text.js';

/** What the parts below need of a redactor. */
export interface NameAndText {
  isSecretName(name: string): boolean;
  text(text: string): string;
}

/** A query string or form body (`a=1&b=2`) with the values of secret names hidden; all else stays byte for byte. */
export function redactQuery(query: string, redactor: NameAndText): string {
  if (!query.includes('=')) return redactor.text(query);
  return query
    .split('&')
    .map((part) => redactPart(part, redactor))
    .join('&');
}

function redactPart(part: string, redactor: NameAndText): string {
  const equals = part.indexOf('=');
  if (equals === -1 || equals === part.length - 1) return part;
  const name = decode(part.slice(0, equals));
  const secret = redactor.isSecretName(name);
  const value = secret ? '' : decode(part.slice(equals + 1));
  return secret || redactor.text(value) !== value ? `${part.slice(0, equals)}=${redactedMark}` : part;
}

/** A URL, whole or relative, without its user part and without the values of secret query and fragment names. */
export function redactUrl(url: string, redactor: NameAndText): string {
  const mark = url.search(/[?#]/);
  const path = mark === -1 ? url : url.slice(0, mark);
  const safePath = path.includes('@') ? redactor.text(path) : path;
  if (mark === -1) return safePath;
  const rest = url.slice(mark).split(/([?#])/);
  return safePath + rest.map((part) => (part.length > 1 ? redactQuery(part, redactor) : part)).join('');
}

/** Cookies keep their names: `sid=[redacted]; theme=[redacted]`. */
export function redactCookies(header: string): string {
  return header.replaceAll(/(^|;)(\s*[^=;]+=)[^;]*/g, `$1$2${redactedMark}`);
}

/** A Set-Cookie value keeps its name and attributes. */
export function redactSetCookie(header: string): string {
  const [pair = '', ...attributes] = header.split(';');
  const equals = pair.indexOf('=');
  const name = equals === -1 ? redactedMark : `${pair.slice(0, equals)}=${redactedMark}`;
  return [name, ...attributes].join(';');
}

/** An Authorization value keeps its scheme. */
export function redactAuthorization(header: string): string {
  const space = header.indexOf(' ');
  return space > 0 && space < 24 ? `${header.slice(0, space)} ${redactedMark}` : redactedMark;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
