import { parseAcceptLanguage } from './parse-accept-language.js';
import type { LanguageRange } from './parse-accept-language.js';

/**
 * The enabled locale that fits an Accept-Language header best, by lookup (RFC 4647 section 3.4): each range, best
 * first, is shortened from its end until it names an enabled locale; `fr-CA` finds `fr`. Where no locale is named so, a
 * range finds a locale that is more exact (`pt` finds `pt-BR`). `*` stands for the first locale no other range names.
 * Undefined where nothing fits.
 */
export function negotiateLocale(header: string | undefined, enabled: readonly string[]): string | undefined {
  if (header === undefined || header === '') return undefined;
  const ranges = parseAcceptLanguage(header);
  const refused = new Set(ranges.filter(({ quality }) => quality === 0).map(({ range }) => range));
  const locales = enabled.filter((locale) => !refused.has(normalise(locale)));
  for (const { range, quality } of ranges) {
    if (quality === 0) break; // sorted: only refusals are left
    const found = range === '*' ? firstUnnamed(locales, ranges) : lookUp(range, locales);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The enabled locale of a language tag, however it is spelled (`FR_ca` is `fr-CA`); undefined for any other. */
export function findEnabled(tag: string, enabled: readonly string[]): string | undefined {
  const wanted = normalise(tag);
  return enabled.find((locale) => normalise(locale) === wanted);
}

function lookUp(range: string, locales: readonly string[]): string | undefined {
  for (let tag = range; tag !== ''; tag = shorten(tag)) {
    const found = findEnabled(tag, locales);
    if (found !== undefined) return found;
  }
  return locales.find((locale) => normalise(locale).startsWith(`${range}-`));
}

/** Without its last subtag, and without a single letter before it (RFC 4647: `zh-hant-cn-x-private` → `zh-hant-cn`). */
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
