import { parseQualityValues, rangeCloseness } from '#negotiation';
import type { QualityValue } from '#negotiation';
import { BoundedCache } from '../source/bounded-cache.js';

/** The forms an error answer has. */
export type ErrorFormat = 'html' | 'json' | 'markdown' | 'text';

/** What is offered. A client that takes anything is a program and gets the first: browsers name HTML when they navigate. */
const offers: readonly { readonly format: ErrorFormat; readonly type: string; readonly alias?: true }[] = [
  { format: 'json', type: 'application/problem+json' },
  { format: 'json', type: 'application/json', alias: true },
  { format: 'json', type: 'text/json', alias: true },
  { format: 'html', type: 'text/html' },
  { format: 'html', type: 'application/xhtml+xml', alias: true },
  { format: 'markdown', type: 'text/markdown' },
  { format: 'markdown', type: 'text/x-markdown', alias: true },
  { format: 'text', type: 'text/plain' },
];

interface Liking {
  readonly quality: number;
  /** 3 the type itself, 2 `text/*` or `application/*+json`, 1 everything, 0 not named. */
  readonly closeness: number;
  readonly place: number;
}

/** Clients send one of few headers, each of them again and again. */
const chosen = new BoundedCache<ErrorFormat>(200, 64 * 1024);

/**
 * Chooses the form by an Accept header (RFC 9110, 12.5.1): the highest quality wins, then the type that was named
 * most exactly, then what the client named first, then our own order. A problem document where there is no header, or
 * nothing acceptable is offered.
 */
export function chooseErrorFormat(accept: string | undefined): ErrorFormat {
  if (accept === undefined || accept.trim() === '') return 'json';
  const known = chosen.get(accept);
  if (known !== undefined) return known;
  const format = chooseAmong(parseQualityValues(accept));
  chosen.set(accept, format, accept.length);
  return format;
}

function chooseAmong(ranges: readonly QualityValue[]): ErrorFormat {
  let best: { format: ErrorFormat; liking: Liking } | undefined;
  for (const { format, type, alias } of offers) {
    const liking = likingOf(type, ranges);
    // Another name of a form counts only where the client used it, not under a wildcard.
    if (alias === true && liking.closeness < 3) continue;
    if (liking.quality > 0 && (best === undefined || isBetter(liking, best.liking)))
      best = { format, liking };
  }
  return best?.format ?? 'json';
}

/** The most exact range that takes the type in decides its quality. */
function likingOf(type: string, ranges: readonly QualityValue[]): Liking {
  let found: Liking = { quality: 0, closeness: 0, place: 0 };
  for (const [place, { value, quality }] of ranges.entries()) {
    const closeness = closenessOf(value, type);
    if (closeness > found.closeness) found = { quality, closeness, place };
  }
  return found;
}

function closenessOf(range: string, type: string): number {
  // A JSON of another kind (`application/vnd.api+json`) is best served by ours.
  if (range !== type && range.endsWith('+json') && type === 'application/problem+json') return 2;
  return rangeCloseness(range, type);
}

function isBetter(one: Liking, other: Liking): boolean {
  if (one.quality !== other.quality) return one.quality > other.quality;
  if (one.closeness !== other.closeness) return one.closeness > other.closeness;
  return one.closeness === 3 && one.place < other.place;
}
