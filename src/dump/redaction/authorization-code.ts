import { redactedMark } from './redacted-mark.js';

/**
 * Parameters that accompany an authorization code (RFC 6749, sections 4.1.2 and 4.1.3; RFC 7636; RFC 9207; OpenID Connect).
 * Without them, `code` can be anything: a country, a currency, an error, a voucher.
 */
const companions: ReadonlySet<string> = new Set(
  'state session_state redirect_uri grant_type client_id code_verifier iss'.split(' '),
);

/** Typical redirect paths of OAuth and single sign-on. */
const callback = /(?:^|[/._-])(?:oauth2?|oidc|openid|sso|callback)(?:$|[/._-])/i;

const companionPattern = new RegExp(`(?:^|[?&\\s"'])(?:${[...companions].join('|')})=`);
const inText = /([?&]code=)[^\s&#"'<>]+|((?:^|[\s"'])code=)[^\s&#"'<>]+(?=&)/g;

/** Returns whether `code` among these parameters is an authorization code, which can be exchanged for a token. */
export function holdsAuthorizationCode(names: readonly string[], path: string): boolean {
  return names.includes('code') && (callback.test(path) || names.some((name) => companions.has(name)));
}

/** Redacts authorization codes in URLs and forms inside a text. */
export function redactCodesInText(text: string): string {
  return text.includes('code=') && companionPattern.test(text)
    ? text.replace(inText, `$1$2${redactedMark}`)
    : text;
}
