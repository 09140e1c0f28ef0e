import { parseQualityValues } from '#negotiation';

/** A language range of RFC 4647 in lower case, with its weight from 0 (never) to 1. */
interface LanguageRange {
  readonly range: string;
  readonly quality: number;
}

/** No tag is longer; shortening a range takes a step for each subtag. */
const maxRangeLength = 80;

/**
 * Returns the enabled locale that matches an Accept-Language header best. Each range, best first, matches the locale that it
 * names. If there is none, it is shortened from its end until it matches one (RFC 4647 section 3.4: `fr-CA` matches `fr`);
 * then it matches a more specific locale (`pt` matches `pt-BR`), and finally one of the same language (`fr-CA` matches
 * `fr-FR`), preferably with the same script. `*` matches the first locale that no other range names. Locales refused with
 * `q=0`, including more specific ones, are never chosen. If nothing matches but some locales are refused, returns
 * `fallback` if it is not refused, otherwise the first locale that is not. Returns undefined if nothing matches and nothing
 * is refused, or if everything is refused.
 */
export function negotiateLocale(
  header: string | undefined,
  enabled: readonly string[],
  { fallback }: { readonly fallback?: string } = {},
): string | undefined {
  if (header === undefined || header === '') return undefined;
  const ranges = parseQualityValues(header)
    .map(({ value, quality }) => ({ range: normalise(value), quality }))
    .filter(({ range }) => range.length <= maxRangeLength)
    .sort((left, right) => right.quality - left.quality);
  const locales = enabled.filter((locale) => !isRefused(normalise(locale), ranges));
  for (const { range, quality } of ranges) {
    if (quality === 0) break; // sorted: only refusals are left
    const found = range === '*' ? firstUnnamed(locales, ranges) : findClosest(range, locales);
    if (found !== undefined) return found;
  }
  if (locales.length === enabled.length) return undefined;
  return locales.find((locale) => locale === fallback) ?? locales[0];
}

/** Finds the enabled locale for a language tag; ignores case and accepts `_` for `-` (`FR_ca` is `fr-CA`). */
export function findEnabled(tag: string, enabled: readonly string[]): string | undefined {
  const wanted = normalise(tag);
  return enabled.find((locale) => normalise(locale) === wanted);
}

/**
 * Returns whether a locale is refused with `q=0`. The most specific matching range decides (`en` matches `en-GB` too); if it
 * occurs twice, a refusal wins. `*;q=0` does not refuse locales that another range matches.
 */
function isRefused(locale: string, ranges: readonly LanguageRange[]): boolean {
  let longest = 0;
  let refused = false;
  for (const { range, quality } of ranges) {
    if (range.length < longest || (range !== locale && !locale.startsWith(`${range}-`))) continue;
    refused = quality === 0 || (refused && range.length === longest);
    longest = range.length;
  }
  return refused;
}

/**
 * Returns the locale that matches a language range (in lower case, with hyphens) best; undefined if none has its
 * language.
 */
function findClosest(range: string, locales: readonly string[]): string | undefined {
  for (let tag = range; tag !== ''; tag = shorten(tag)) {
    const found = findEnabled(tag, locales);
    if (found !== undefined) return found;
  }
  const language = languageOf(range);
  const related = locales.filter((locale) => languageOf(normalise(locale)) === language);
  const script = scriptOf(range);
  return (
    related.find((locale) => normalise(locale).startsWith(`${range}-`)) ??
    related.find((locale) => scriptOf(locale) === script) ??
    related[0]
  );
}

function languageOf(tag: string): string {
  return tag.split('-', 1)[0] ?? tag;
}

/**
 * Returns the script of a tag: as stated in it, otherwise the usual script of its language and region (`Hant` for
 * `zh-TW`).
 */
function scriptOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().script;
  } catch {
    return undefined; // a valid range, but not a valid language tag
  }
}

/** Removes the last subtag, and a single-character subtag before it (RFC 4647: `zh-hant-cn-x-private` → `zh-hant-cn`). */
function shorten(tag: string): string {
  const end = tag.lastIndexOf('-');
  const shorter = end === -1 ? '' : tag.slice(0, end);
  return /-[a-z0-9]$/.test(shorter) ? shorter.slice(0, -2) : shorter;
}

function firstUnnamed(locales: readonly string[], ranges: readonly LanguageRange[]): string | undefined {
  const named = new Set(ranges.map(({ range }) => range));
  return locales.find((locale) => !named.has(normalise(locale))) ?? locales[0];
}

function normalise(tag: string): string {
  return tag.toLowerCase().replaceAll('_', '-');
}
