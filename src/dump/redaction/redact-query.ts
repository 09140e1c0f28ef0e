import { holdsAuthorizationCode } from './authorization-code.js';
import { decodePercent } from './decode-percent.js';
import { redactedMark } from './redacted-mark.js';
import { tokenBeginnings } from './token-shapes.js';

/** The methods of a redactor that query strings and URLs need. */
export interface NameAndText {
  isSecretName(name: string): boolean;
  text(text: string): string;
}

/**
 * Hides the values of secret names in a query string or form body (`a=1&b=2`); everything else stays byte for byte. `path`
 * is the part of the URL before the query, if known.
 */
export function redactQuery(query: string, redactor: NameAndText, path = ''): string {
  if (!query.includes('=')) return redactor.text(query);
  const hidesCode = query.includes('code=') && holdsAuthorizationCode(query.split('&').map(nameOf), path);
  // Almost no query contains a secret, so the parts are only joined again if one of them changed.
  let out = '';
  let done = 0;
  for (let start = 0, end = 0; start < query.length; start = end + 1) {
    end = indexOrEnd(query.indexOf('&', start), query);
    const part = query.slice(start, end);
    const clean = redactPart(part, redactor, { hidesCode });
    if (clean === part) continue;
    out += query.slice(done, start) + clean;
    done = end;
  }
  return done === 0 ? query : out + query.slice(done);
}

/** Returns the index that was found, or the length of the text for -1. */
function indexOrEnd(found: number, text: string): number {
  return found === -1 ? text.length : found;
}

function redactPart(
  part: string,
  redactor: NameAndText,
  { hidesCode }: { readonly hidesCode: boolean },
): string {
  const equals = part.indexOf('=');
  if (equals === -1) return redactor.text(decode(part)) === decode(part) ? part : redactedMark;
  if (equals === part.length - 1) return part;
  const name = nameOf(part);
  const secret = redactor.isSecretName(name) || (hidesCode && name === 'code');
  const value = secret ? '' : decode(part.slice(equals + 1));
  return secret || redactor.text(value) !== value ? `${part.slice(0, equals)}=${redactedMark}` : part;
}

/** A URL without any of these is a plain path in which no secret can be recognised. */
const maySecretPattern = new RegExp(`[?#@=]|${tokenBeginnings}`);

/** Redacts an absolute or relative URL: its userinfo and the values of secret names in query and fragment. */
export function redactUrl(url: string, redactor: NameAndText): string {
  if (!maySecretPattern.test(url)) return url;
  let mark = nextMark(url, 0);
  const path = url.slice(0, mark);
  let out = redactor.text(path);
  while (mark < url.length) {
    const next = nextMark(url, mark + 1);
    out += url.charAt(mark) + redactQuery(url.slice(mark + 1, next), redactor, path);
    mark = next;
  }
  return out;
}

/** Returns the index of the next `?` or `#`, or the length of the URL. */
function nextMark(url: string, from: number): number {
  let at = from;
  while (at < url.length && url[at] !== '?' && url[at] !== '#') at++;
  return at;
}

/** Redacts the values of cookies and keeps their names: `sid=[redacted]`. A cookie without a name is hidden completely. */
export function redactCookies(header: string): string {
  let out = '';
  for (let start = 0; start <= header.length;) {
    const end = indexOrEnd(header.indexOf(';', start), header);
    const equals = header.indexOf('=', start);
    if (start > 0) out += ';';
    if (equals !== -1 && equals < end) out += header.slice(start, equals + 1) + redactedMark;
    else {
      const pair = header.slice(start, end);
      out += pair.trim() === '' ? pair : redactedMark;
    }
    start = end + 1;
  }
  return out;
}

/** Redacts the value of a Set-Cookie header and keeps the cookie's name and attributes. */
export function redactSetCookie(header: string): string {
  const [pair = '', ...attributes] = header.split(';');
  const equals = pair.indexOf('=');
  const name = equals === -1 ? redactedMark : `${pair.slice(0, equals)}=${redactedMark}`;
  return [name, ...attributes].join(';');
}

/** Redacts tokens in Sec-WebSocket-Protocol: browsers cannot send Authorization, so clients list the token as a protocol. */
export function redactProtocols(header: string): string {
  const protocols = header.split(',');
  if (!/bearer|token|auth|jwt|access/i.test(header)) return header;
  return protocols
    .map((protocol, index) =>
      announcesToken(protocol) ? protocol : `${index === 0 ? '' : ' '}${redactedMark}`,
    )
    .join(',');
}

/** Returns whether a protocol name only announces a token. Kubernetes appends the token to the name, which is then long. */
function announcesToken(protocol: string): boolean {
  return protocol.length < 40 && /bearer|token|auth|jwt|access/i.test(protocol);
}

/** Redacts an Authorization value and keeps its scheme. */
export function redactAuthorization(header: string): string {
  const space = header.indexOf(' ');
  return space > 0 && space < 24 ? `${header.slice(0, space)} ${redactedMark}` : redactedMark;
}

function nameOf(part: string): string {
  const equals = part.indexOf('=');
  return decode(equals === -1 ? part : part.slice(0, equals));
}

function decode(text: string): string {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
