import { httpErrors } from '../failures/error-codes.js';

/**
 * The target as a Location header can carry it: a path of this site, or with `external` an http(s) URL. Browsers drop
 * tabs and line ends and take a backslash for a slash, so both are refused: `/\evil.example` would leave the site. In
 * a query a backslash means nothing, and visitors send it: there it is encoded.
 */
export function safeRedirectTarget(target: string, options: { readonly external: boolean }): string {
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\u0000-\u0020\u007f]|^[^?#]*\\/.test(target))
    throw unsafe(target, 'holds a space, a backslash or a control character');
  if (/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(target)) {
    if (!options.external) throw unsafe(target, 'leaves this site');
    return encodeForeign(target);
  }
  if (target.startsWith('//')) throw unsafe(target, 'leaves this site');
  if (/^[^/?#]*:/.test(target)) throw unsafe(target, 'has a scheme that is no http(s) URL');
  return encodeForeign(target);
}

/** Percent-encodes backslashes and what is not ASCII; what is encoded already stays. */
function encodeForeign(target: string): string {
  return target.replace(/(?:[^\x21-\x7e]|\\)+/gu, (text) => encodeURIComponent(text.toWellFormed()));
}

function unsafe(target: string, reason: string): Error {
  return httpErrors.create('HTTP_REDIRECT_UNSAFE', { target: target.slice(0, 300), reason });
}
