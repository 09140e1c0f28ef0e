import { BoundedCache } from './bounded-cache.js';

/** The forms an error answer has. */
export type ErrorFormat = 'html' | 'json' | 'markdown' | 'text';

/** What is offered, best first; a client that takes anything gets the first. */
const offers: readonly { readonly format: ErrorFormat; readonly type: string; readonly alias?: true }[] = [
  { format: 'html', type: 'text/html' },
  { format: 'html', type: 'application/xhtml+xml', alias: true },
  { format: 'json', type: 'application/problem+json' },
  { format: 'json', type: 'application/json', alias: true },
  { format: 'json', type: 'text/json', alias: true },
  { format: 'markdown', type: 'text/markdown' },
  { format: 'markdown', type: 'text/x-markdown', alias: true },
  { format: 'text', type: 'text/plain' },
];

interface Range {
  readonly type: string;
  readonly quality: number;
  readonly place: number;
}

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
 * most exactly, then what the client named first, then our own order. HTML where there is no header, or nothing
 * acceptable is offered.
 */
export function chooseErrorFormat(accept: string | undefined): ErrorFormat {
  if (accept === undefined || accept.trim() === '') return 'html';
  const known = chosen.get(accept);
  if (known !== undefined) return known;
  const format = chooseAmong(parseAccept(accept.slice(0, 4000)));
  chosen.set(accept, format, accept.length);
  return format;
}

function chooseAmong(ranges: readonly Range[]): ErrorFormat {
  let best: { format: ErrorFormat; liking: Liking } | undefined;
  for (const { format, type, alias } of offers) {
    const liking = likingOf(type, ranges);
    // Another name of a form counts only where the client used it, not under a wildcard.
    if (alias === true && liking.closeness < 3) continue;
    if (liking.quality > 0 && (best === undefined || isBetter(liking, best.liking)))
      best = { format, liking };
  }
  return best?.format ?? 'html';
}

function parseAccept(accept: string): Range[] {
  return accept.split(',', 100).map((part, place) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter));
    return { type, quality: quality === undefined ? 1 : parseQuality(quality), place };
  });
}

function parseQuality(parameter: string): number {
  const value = Number(parameter.slice(parameter.indexOf('=') + 1).trim());
  return value >= 0 && value <= 1 ? value : 0;
}

/** The most exact range that takes the type in decides its quality. */
function likingOf(type: string, ranges: readonly Range[]): Liking {
  let found: Liking = { quality: 0, closeness: 0, place: 0 };
  for (const range of ranges) {
    const closeness = closenessOf(range.type, type);
    if (closeness > found.closeness) found = { quality: range.quality, closeness, place: range.place };
  }
  return found;
}

function closenessOf(range: string, type: string): number {
  if (range === type) return 3;
  if (range === '*/*' || range === '*') return 1;
  if (range.endsWith('/*')) return type.startsWith(range.slice(0, -1)) ? 2 : 0;
  // A JSON of another kind (`application/vnd.api+json`) is best served by ours.
  return range.endsWith('+json') && type === 'application/problem+json' ? 2 : 0;
}

function isBetter(one: Liking, other: Liking): boolean {
  if (one.quality !== other.quality) return one.quality > other.quality;
  if (one.closeness !== other.closeness) return one.closeness > other.closeness;
  return one.closeness === 3 && one.place < other.place;
}
