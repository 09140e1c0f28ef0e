import { redactedMark } from './redacted-mark.js';

/**
 * Parameters that distinguish an authorization code from any other `code`: those that come with it (RFC 6749, sections 4.1.2
 * and 4.1.3; RFC 7636; RFC 9207; OpenID Connect). Alone, `code` is a country, a currency, an error, a voucher.
 */
const companions: ReadonlySet<string> = new Set(
  'state session_state redirect_uri grant_type client_id code_verifier iss'.split(' '),
);

/** Paths that providers send their users back to. */
const callback = /(?:^|[/._-])(?:oauth2?|oidc|openid|sso|callback)(?:$|[/._-])/i;

const companionPattern = new RegExp(`(?:^|[?&\\s"'])(?:${[...companions].join('|')})=`);
const inText = /([?&]code=)[^\s&#"'<>]+|((?:^|[\s"'])code=)[^\s&#"'<>]+(?=&)/g;

/** Whether a `code` among these parameters is a credential: it can be exchanged for a token. */
export function holdsAuthorizationCode(names: readonly string[], path: string): boolean {
  return names.includes('code') && (callback.test(path) || names.some((name) => companions.has(name)));
}

/** Text in which a URL or a form with an authorization code may stand. */
export function redactCodesInText(text: string): string {
  return text.includes('code=') && companionPattern.test(text)
    ? text.replace(inText, `$1$2${redactedMark}`)
    : text;
}
