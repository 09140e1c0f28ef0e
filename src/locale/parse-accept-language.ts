import { parseQualityValues } from '#negotiation';

/** One language that a client accepts, with its weight. */
export interface LanguageRange {
  /** Language range of RFC 4647 in lower case, e.g. `fr-ca` or `*`. */
  readonly range: string;
  /** Weight from 0 (never) to 1. */
  readonly quality: number;
}

const rangeForm = /^(?:[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,7}|\*)$/;

/**
 * The ranges of an Accept-Language header (RFC 9110 section 12.5.4), best first, equal ones in the client's order.
 * `en_US`, as some programs write it, is `en-us`. Malformed parts are ignored; `q=0` is kept, since it excludes a
 * language.
 */
export function parseAcceptLanguage(header: string): readonly LanguageRange[] {
  return parseQualityValues(header)
    .map(({ value, quality }) => ({ range: value.replaceAll('_', '-'), quality }))
    .filter(({ range }) => rangeForm.test(range))
    .sort((left, right) => right.quality - left.quality);
}
