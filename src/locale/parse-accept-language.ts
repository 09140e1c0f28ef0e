import { parseQualityValues } from '#negotiation';

/** One accepted language range with its weight. */
export interface LanguageRange {
  /** Language range of RFC 4647 in lower case, e.g. `fr-ca` or `*`. */
  readonly range: string;
  /** Weight from 0 (never) to 1. */
  readonly quality: number;
}

const rangeForm = /^(?:[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,7}|\*)$/;

/**
 * Parses an Accept-Language header (RFC 9110 section 12.5.4). Returns the ranges with the highest weight first, those of
 * equal weight in their original order. `en_US`, as some programs send it, is returned as `en-us`. Malformed parts are
 * ignored; ranges with `q=0` are included, because they exclude a language.
 */
export function parseAcceptLanguage(header: string): readonly LanguageRange[] {
  return parseQualityValues(header)
    .map(({ value, quality }) => ({ range: value.replaceAll('_', '-'), quality }))
    .filter(({ range }) => rangeForm.test(range))
    .sort((left, right) => right.quality - left.quality);
}
