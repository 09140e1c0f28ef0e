import { holdsAuthorizationCode } from './authorization-code.js';
import { decodePercent } from './decode-percent.js';
import { redactedMark } from './redacted-mark.js';
import { tokenBeginnings } from './token-shapes.js';

/** What the parts below need of a redactor. */
export interface NameAndText {
  isSecretName(name: string): boolean;
  text(text: string): string;
}

/**
 * A query string or form body (`a=1&b=2`) with the values of secret names hidden; all else stays byte for byte. `path`
 * is what stands before it, where that is known.
 */
export function redactQuery(query: string, redactor: NameAndText, path = ''): string {
  if (!query.includes('=')) return redactor.text(query);
  const hidesCode = query.includes('code=') && holdsAuthorizationCode(query.split('&').map(nameOf), path);
  // Nearly all queries hold no secret: they are looked through without being put together again.
  let out = '';
  let done = 0;
  for (let start = 0, end = 0; start < query.length; start = end + 1) {
    end = endAt(query.indexOf('&', start), query);
    const part = query.slice(start, end);
    const clean = redactPart(part, redactor, { hidesCode });
    if (clean === part) continue;
    out += query.slice(done, start) + clean;
    done = end;
  }
  return done === 0 ? query : out + query.slice(done);
}

/** A place that was found in a text; its end where nothing was. */
function endAt(found: number, text: string): number {
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

/** Without any of these a URL is a path in which nothing can be recognised as secret. */
const maySecretPattern = new RegExp(`[?#@=]|${tokenBeginnings}`);

/** A URL, whole or relative, without its user part and without the values of secret query and fragment names. */
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

/** Where the next query or fragment begins. */
function nextMark(url: string, from: number): number {
  let at = from;
  while (at < url.length && url[at] !== '?' && url[at] !== '#') at++;
  return at;
}

/** Cookies keep their names: `sid=[redacted]; theme=[redacted]`. One without a name is hidden whole. */
export function redactCookies(header: string): string {
  let out = '';
  for (let start = 0; start <= header.length;) {
    const end = endAt(header.indexOf(';', start), header);
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

/** A Set-Cookie value keeps its name and attributes. */
export function redactSetCookie(header: string): string {
  const [pair = '', ...attributes] = header.split(';');
  const equals = pair.indexOf('=');
  const name = equals === -1 ? redactedMark : `${pair.slice(0, equals)}=${redactedMark}`;
  return [name, ...attributes].join(';');
}

/** Browsers cannot send an Authorization with a WebSocket: a token stands beside the protocol that announces it. */
export function redactProtocols(header: string): string {
  const protocols = header.split(',');
  if (!/bearer|token|auth|jwt|access/i.test(header)) return header;
  return protocols
    .map((protocol, place) =>
      tellsOfToken(protocol) ? protocol : `${place === 0 ? '' : ' '}${redactedMark}`,
    )
    .join(',');
}

/** Kubernetes has the token in the same word; then it is no short one. */
function tellsOfToken(protocol: string): boolean {
  return protocol.length < 40 && /bearer|token|auth|jwt|access/i.test(protocol);
}

/** An Authorization value keeps its scheme. */
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
