import { decodePercent, redactSecret, redactedMark } from './redacted-mark.js';
import { isPlainValue } from './secret-names.js';
import { redactVariables } from './redact-graphql.js';

/** The redactor methods that query strings and URLs need. */
export interface NameAndText {
  isSecretName(name: string): boolean;
  text(text: string): string;
}

/**
 * Hides the values of secret names in a query string or form body; the rest stays byte for byte. `path` is the URL's
 * path before the query.
 */
export function redactQuery(query: string, redactor: NameAndText, path = ''): string {
  if (!query.includes('=')) return redactor.text(query);
  const clean = query.includes('variables=')
    ? redactVariables(query, (name) => redactor.isSecretName(name))
    : query;
  const parts = clean.split('&');
  const hidesCode = query.includes('code=') && holdsAuthorizationCode(parts.map(nameOf), path);
  const isHidden = (part: string, value: string): boolean => {
    const name = nameOf(part);
    if (redactor.isSecretName(name) && !isPlainValue(name, decode(value))) return true;
    if (hidesCode && name === 'code') return true;
    return isGeneratedParameter(name, decode(value));
  };
  return parts
    .map((part) => {
      const equals = part.indexOf('=');
      if (equals === -1) return holdsSecret(part, redactor) ? redactSecret(part) : part;
      const value = part.slice(equals + 1);
      if (value === '' || !(isHidden(part, value) || holdsSecret(value, redactor))) return part;
      return `${part.slice(0, equals)}=${redactSecret(decode(value))}`;
    })
    .join('&');
}

/** Returns whether an encoded value contains a secret; `text` decodes repeated encoding. */
function holdsSecret(part: string, redactor: NameAndText): boolean {
  const value = decode(part);
  return redactor.text(value) !== value;
}

/**
 * Redacts an absolute or relative URL: its userinfo, its path, and the values of secret names in query and fragment.
 */
export function redactUrl(url: string, redactor: NameAndText): string {
  const end = url.search(/[?#]/);
  if (end === -1) return redactor.text(url);
  const path = url.slice(0, end);
  const clean = (query: string): string => redactQuery(query, redactor, path);
  return redactor.text(path) + url.slice(end).replaceAll(/(?<=[?#])[^?#]+/g, clean);
}

/** Redacts the values of cookies and keeps their names: `sid=[redacted]`. Hides a cookie without a name completely. */
export function redactCookies(header: string): string {
  return header.replaceAll(/[^;]+/g, (pair) => {
    const equals = pair.indexOf('=');
    if (equals !== -1) return pair.slice(0, equals + 1) + redactSecret(pair.slice(equals + 1));
    return pair.trim() === '' ? pair : redactSecret(pair);
  });
}

/** Redacts the value of a Set-Cookie field, also of several that were joined by commas. */
export function redactSetCookie(header: string): string {
  return header
    .split(/,(?=\s{0,10}[^\s;,=]{1,200}=)/)
    .map((cookie) => {
      const [pair = '', ...attributes] = cookie.split(';');
      return [pair.includes('=') ? redactCookies(pair) : redactSecret(pair), ...attributes].join(';');
    })
    .join(',');
}

/**
 * Redacts tokens in Sec-WebSocket-Protocol: browsers cannot send Authorization, so clients list the token as a
 * protocol.
 */
export function redactProtocols(header: string, redactor: NameAndText): string {
  if (!/bearer|token|auth|jwt|access/i.test(header)) return redactor.text(header);
  const announcement = /^\s{0,100}([A-Za-z._-]{1,39})(?=,|$)/.exec(header)?.[1] ?? redactedMark;
  return header.includes(',') ? `${announcement}, ${redactedMark}` : announcement;
}

/** Redacts an Authorization value and keeps its scheme. */
export function redactAuthorization(header: string): string {
  const space = header.indexOf(' ');
  return space > 0 && space < 24
    ? `${header.slice(0, space)} ${redactSecret(header.slice(space + 1))}`
    : redactSecret(header);
}

/** Redacts a WWW-Authenticate value: keeps descriptions (`Bearer realm="x"`), hides nonces and tokens. */
export function redactChallenge(header: string, redactor: NameAndText): string {
  const [, scheme = '', parameters = ''] = /^([\w-]{1,24})(?:$|(\s{1,4}[\w-]{1,40}=.*))/.exec(header) ?? [];
  if (scheme === '') return redactAuthorization(header);
  const clean = parameters.replaceAll(/\b(c?nonce|opaque)="?[^",]{1,1000}/gi, `$1="${redactedMark}`);
  return scheme + redactor.text(clean);
}

function nameOf(part: string): string {
  const equals = part.indexOf('=');
  return decode(equals === -1 ? part : part.slice(0, equals));
}

function decode(text: string): string {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/**
 * Parameters that accompany an authorization code (RFC 6749, 7636, 9207, OpenID Connect): without them, `code` can be
 * anything.
 */
const companions: ReadonlySet<string> = new Set(
  'state session_state redirect_uri grant_type client_id code_verifier iss scope authuser prompt hd'.split(
    ' ',
  ),
);

/** Typical OAuth and single sign-on redirect paths. */
const callback =
  /(?:^|[/._-])(?:oauth2?|oidc|openid|sso|callback|auth|authorize|login|signin|connect|social)(?:$|[/._-])/i;

const companionPattern = new RegExp(`(?:^|[?&\\s"'])(?:${[...companions].join('|')})=`);
const codeOfLogin =
  /(\/(?:oauth2?|oidc|openid|sso|callback|auth|authorize|login|signin|connect|social)(?:[/._-][\w./-]{0,100})?\?(?:[^\s"'<>?]{0,200}&)?code=)([^\s&#"'<>]{4,2000})/gi;
const parameterInText =
  /([?&;](hash|h|k|key|code|state|nonce|assertion|oauth_verifier|invite|invitation|magic|reset|verify|confirm|confirmation|activation)=)([\w~=%+./-]{10,2000})/gi;
const inText = /(?:([?&]code=)|((?:^|[\s"'])code=)(?=[^\s&#"'<>]+&))([^\s&#"'<>]+)/g;

/** Returns whether `code` among these parameters is an authorization code, which can be exchanged for a token. */
function holdsAuthorizationCode(names: readonly string[], path: string): boolean {
  return names.includes('code') && (callback.test(path) || names.some((name) => companions.has(name)));
}

/** Redacts authorization codes, and generated values with names such as `hash`, in URLs and forms within a text. */
export function redactCodesInText(text: string): string {
  const out =
    text.includes('code=') && companionPattern.test(text)
      ? text.replace(
          inText,
          (_, head: string | undefined, other: string | undefined, value: string) =>
            `${head ?? ''}${other ?? ''}${redactSecret(value)}`,
        )
      : text;
  if (!out.includes('=')) return out;
  const withoutCodes = out.includes('code=')
    ? out.replace(codeOfLogin, (_, head: string, value: string) => head + redactSecret(value))
    : out;
  return withoutCodes.replace(parameterInText, (whole, head: string, name: string, value: string) =>
    isGeneratedParameter(name, decodePercent(value)) ? head + redactSecret(value) : whole,
  );
}

/**
 * Parameters that are secrets if their value looks generated, and ordinary names otherwise: `?key=name`, `?code=DE`.
 * Codes must be long, because vouchers are short.
 */
const generatedParameters: Readonly<Record<string, number>> = Object.fromEntries(
  'hash h k key state nonce assertion oauth_verifier invite invitation magic reset verify confirm confirmation activation'
    .split(' ')
    .map((name) => [name, 10])
    .concat([['code', 16]]),
);

/** Returns whether the name and value of a URL or form parameter together indicate a secret: `hash` in a login link. */
function isGeneratedParameter(name: string, value: string): boolean {
  const lower = name.toLowerCase();
  const least = Object.hasOwn(generatedParameters, lower) ? (generatedParameters[lower] ?? 0) : Infinity;
  const isGenerated = (lower === 'assertion' ? /^[\w~=+./ -]+$/ : /^[\w~=+-]+$/).test(value);
  return value.length >= least && isGenerated && isMade(value);
}

/** Hides decoded values in a URL's path; a segment that encodes one in an unusual way is hidden completely. */
export function hidePathValues(url: string, values: readonly string[]): string {
  const pieces = values.flatMap((value) => value.split('/')).filter((piece) => piece !== '');
  if (pieces.length === 0) return url;
  const start = url.includes('://') ? url.indexOf('://') + 3 : 0;
  const mark = url.slice(start).search(/[?#]/);
  const end = mark === -1 ? url.length : start + mark;
  const segments = url.slice(start, end).split('/');
  const hidden = segments.map((segment, index) =>
    index === 0 && start > 0 ? segment : hide(segment, pieces),
  );
  return url.slice(0, start) + hidden.join('/') + url.slice(end);
}

function hide(segment: string, pieces: readonly string[]): string {
  const text = decodePercent(segment);
  let out = segment;
  for (const piece of pieces) {
    if (!text.includes(piece)) continue;
    const sent = [piece, encodeURIComponent(piece), encodeURI(piece)].find((form) => out.includes(form));
    out = sent === undefined ? redactSecret(segment) : out.replaceAll(sent, () => redactSecret(piece));
  }
  return out;
}

/** Path segments that precede a secret, in addition to secret names: `/reset/x`, as in links in mails. */
const before =
  /^(?:reset|(?:password|account|email)[-_]?(?:reset|recovery|verification|confirmation)|(?:reset|forgot|recover|change|set|new)[-_]?password|(?:verify|confirm)(?:[-_]?(?:e-?mail|account))?|verification|confirmation|activate|activation|invite|invites|invitation|invitations|(?:accept[-_]?)?invit(?:e|ation)s?|unlock|join|log[-_]?in|sign[-_]?in|2fa|mfa|magic(?:[-_]?(?:link|login))?|login[-_]?link|unsubscribe|recover|recovery|webhooks?|hooks?|sso|share|shared)$/i;
/** After such a segment, the secret may follow an id: `/reset-password/1/x`, `/accounts/reset/MQ/x`. */
const beforeId = /^[\w-]{1,7}$|^\d{1,20}$|^[\da-f]{8}-[\da-f-]{27}$/i;
/** Segments that may come in between as well: `/verify/email/12/x`. */
const neutral = /^(?:e-?mail|account|users?|phone|link|id)$/i;
/** Cookieless ASP.NET sessions: `/(S(x))/`. */
const sessionInPath = /(\/\((?:[A-Z]\([^()/]{1,100}\)){0,4}[SF]\()([^()/\s]{1,300})/g;

/** URLs that are secrets themselves: Telegram bots, and incoming Slack and Discord webhooks. */
const addresses =
  /(\/bot\d{1,20}:|\/services\/T\w{1,30}\/B\w{1,30}\/|\/webhooks\/\d{1,30}\/)([^\s/?#"'`<>]{1,300})/g;

/** Hides path segments that follow a secret name (`/token/x`, `/reset-password/x`) and look generated. */
export function redactPath(text: string, isSecretName: (name: string) => boolean): string {
  let out = text.replace(addresses, (_, head: string, value: string) => head + redactSecret(value));
  if (out.includes('/('))
    out = out.replace(sessionInPath, (_, head: string, value: string) => head + redactSecret(value));
  let clean = '';
  let done = 0;
  // Before a replaced secret it is cut short: `/reset/x1token=[redacted]` was `/reset/x1token=a:b`, no segment.
  const segment = /\/([\w.~=%-]{1,300})(?![\w.~=%:-]|\[redacted)/g;
  // The segments before the current one, nearest first, if they end where it begins.
  let above: string[] = [];
  let end = -1;
  for (let found = segment.exec(out); found !== null; found = segment.exec(out)) {
    const [, value = ''] = found;
    if (found.index !== end) above = [];
    const isAfter = (name: string): boolean => before.test(name) || namesSecret(name, isSecretName);
    const between = above.findIndex((name) => !beforeId.test(name) && !neutral.test(name));
    const decoded = decodePercent(value);
    const isSecret =
      decoded.length >= 8 &&
      /^[\w~=+/-]+$/.test(decoded) &&
      isMade(decoded) &&
      above.slice(0, between === -1 ? above.length : between + 1).some(isAfter);
    if (isSecret) {
      clean += out.slice(done, found.index + 1) + redactSecret(value);
      done = found.index + 1 + value.length;
    }
    above = [value, ...above.slice(0, 2)];
    end = segment.lastIndex;
  }
  return clean + out.slice(done);
}

/** Whether a path segment names a secret: `token`, `api-key`, but not `secret-santa`. */
function namesSecret(segment: string, isSecretName: (name: string) => boolean): boolean {
  if (!isSecretName(segment)) return false;
  const last = Math.max(segment.lastIndexOf('-'), segment.lastIndexOf('_'));
  return last <= 0 || isSecretName(segment.slice(last + 1)) || !isSecretName(segment.slice(0, last));
}

/** Whether the value looks generated: mixed letters and digits. Numbers, words and dates are ordinary names. */
function isMade(value: string): boolean {
  const digits = value.replaceAll(/\D/g, '').length;
  const letters = value.replaceAll(/[^A-Za-z]/g, '').length;
  return letters >= 2 && (digits >= 2 || (value.length >= 16 && /[a-z]/.test(value) && /[A-Z]/.test(value)));
}
