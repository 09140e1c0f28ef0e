import { negotiateLocale } from './negotiate-locale.js';

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
