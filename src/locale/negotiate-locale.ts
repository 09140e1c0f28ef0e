import { type LanguageRange, parseAcceptLanguage } from './parse-accept-language.js';

/**
 * The enabled locale that fits an Accept-Language header best. Each range, best first, finds the locale that it names;
 * otherwise it is shortened from its end until it names one (RFC 4647 section 3.4: `fr-CA` finds `fr`); otherwise it
 * finds a more specific locale (`pt` finds `pt-BR`), and finally one of the same language (`fr-CA` finds `fr-FR`),
 * preferably in the same script. `*` stands for the first locale that no other range names. What `q=0` refuses, with
 * all below it, is not chosen: where nothing fits but something is refused, it is the first locale that is not,
 * `fallback` before all others. Undefined where nothing fits and nothing is refused, or everything is.
 */
export function negotiateLocale(
  header: string | undefined,
  enabled: readonly string[],
  { fallback }: { readonly fallback?: string } = {},
): string | undefined {
  if (header === undefined || header === '') return undefined;
  const ranges = parseAcceptLanguage(header);
  const locales = enabled.filter((locale) => !isRefused(normalise(locale), ranges));
  for (const { range, quality } of ranges) {
    if (quality === 0) break; // sorted: only refusals are left
    const found = range === '*' ? firstUnnamed(locales, ranges) : findClosest(range, locales);
    if (found !== undefined) return found;
  }
  if (locales.length === enabled.length) return undefined;
  return locales.find((locale) => locale === fallback) ?? locales[0];
}

/** The enabled locale of a language tag, however it is spelled (`FR_ca` is `fr-CA`); undefined for any other. */
export function findEnabled(tag: string, enabled: readonly string[]): string | undefined {
  const wanted = normalise(tag);
  return enabled.find((locale) => normalise(locale) === wanted);
}

/**
 * The range that names a locale most exactly decides (`en` names `en-GB` too), and where it came twice, the refusal.
 * `*;q=0` takes nothing from what a range of its own finds.
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

/** The locale that serves a language range (in lower case, with hyphens) best; undefined where none is of its language. */
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

/** `Hant` of `zh-TW`: the script that the tag says, or that its region mostly writes. */
function scriptOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().script;
  } catch {
    return undefined; // well formed as a range, but not as a language tag
  }
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

const maxCached = 200;
const maxCachedLength = 500;

/**
 * `negotiateLocale` among these locales, `fallback` where nothing decides, with the answers kept: the browsers of all visitors together send few
 * different headers, and the answer depends on nothing else.
 */
export function createNegotiation(
  enabled: readonly string[],
  fallback: string,
): (header: string | undefined) => string {
  const known = new Map<string, string>();
  const choose = (header: string): string => negotiateLocale(header, enabled, { fallback }) ?? fallback;
  return (header) => {
    if (header === undefined || enabled.length < 2) return fallback;
    if (header.length > maxCachedLength) return choose(header);
    const before = known.get(header);
    if (before !== undefined) return before;
    const chosen = choose(header);
    if (known.size >= maxCached) known.clear();
    known.set(header, chosen);
    return chosen;
  };
}
