import { parseQualityValues, rangeCloseness } from '#negotiation';

/** The forms an error answer has. */
export type ErrorFormat = 'html' | 'json' | 'markdown' | 'text';

/**
 * What is offered, best first: under a wildcard the first one wins, so other names of a form are at the end. A client that
 * takes anything is a program and gets the first: browsers name HTML when they navigate.
 */
const offers: readonly (readonly [type: string, format: ErrorFormat])[] = [
  ['application/problem+json', 'json'],
  ['text/html', 'html'],
  ['text/markdown', 'markdown'],
  ['text/plain', 'text'],
  ['application/json', 'json'],
  ['text/json', 'json'],
  ['application/xhtml+xml', 'html'],
  ['text/x-markdown', 'markdown'],
];

/**
 * Chooses the form by an Accept header (RFC 9110, 12.5.1): the highest quality wins, then the type that was named
 * most exactly, then what the client named first, then our own order. A problem document where there is no header, or
 * nothing acceptable is offered.
 */
export function chooseErrorFormat(accept: string | undefined): ErrorFormat {
  const ranges = parseQualityValues(accept ?? '');
  let best: { readonly format: ErrorFormat; readonly rank: number } = { format: 'json', rank: 0 };
  for (const [type, format] of offers) {
    // The most exact range decides the quality of a type.
    let [closest, rank] = [0, 0];
    for (const [place, { value, quality }] of ranges.entries()) {
      const closeness = closenessOf(value, type);
      if (closeness <= closest) continue;
      closest = closeness;
      // A quality has three decimals, and there are at most a hundred ranges.
      rank = quality === 0 ? 0 : quality + closeness / 1e4 - (closeness === 3 ? place / 1e7 : 0);
    }
    if (rank > best.rank) best = { format, rank };
  }
  return best.format;
}

function closenessOf(range: string, type: string): number {
  // A JSON of another kind (`application/vnd.api+json`) is best served by ours.
  if (range !== type && range.endsWith('+json') && type === 'application/problem+json') return 2;
  return rangeCloseness(range, type);
}
