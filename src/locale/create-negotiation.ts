import { negotiateLocale } from './negotiate-locale.js';

const mostKnown = 200;
const longestKnown = 500;

/**
 * `negotiateLocale` among these locales, with the answers kept: the browsers of all visitors together send few
 * different headers, and the answer depends on nothing else.
 */
export function createNegotiation(
  enabled: readonly string[],
): (header: string | undefined) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (header) => {
    if (header === undefined || header.length > longestKnown) return negotiateLocale(header, enabled);
    if (known.has(header)) return known.get(header);
    const chosen = negotiateLocale(header, enabled);
    if (known.size >= mostKnown) known.clear();
    known.set(header, chosen);
    return chosen;
  };
}
