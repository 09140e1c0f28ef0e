/** One language a client would take, with how much it wants it. */
export interface LanguageRange {
  /** Language range of RFC 4647 in lower case, e.g. `fr-ca` or `*`. */
  readonly range: string;
  /** Weight from 0 (never) to 1. */
  readonly quality: number;
}

/** A header is looked at up to here; nobody reads more languages than this. */
const longest = 4096;
const mostRanges = 64;

const rangeForm = /^(?:[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,7}|\*)$/;
const qualityForm = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The ranges of an Accept-Language header (RFC 9110 section 12.5.4), best first, equal ones in the client's order.
 * Malformed parts are passed over; `q=0` is kept, since it says what must not be chosen.
 */
export function parseAcceptLanguage(header: string): readonly LanguageRange[] {
  const ranges: LanguageRange[] = [];
  for (const part of header.slice(0, longest).split(',', mostRanges)) {
    const parsed = parsePart(part);
    if (parsed !== undefined) ranges.push(parsed);
  }
  return ranges.sort((left, right) => right.quality - left.quality);
}

function parsePart(part: string): LanguageRange | undefined {
  const [range = '', ...parameters] = part
    .toLowerCase()
    .split(';')
    .map((piece) => piece.trim());
  if (!rangeForm.test(range)) return undefined;
  if (parameters.length === 0) return { range, quality: 1 };
  const quality = qualityForm.exec((parameters[0] ?? '').replace(/[ \t]/g, ''))?.[1];
  return quality === undefined || parameters.length > 1 ? undefined : { range, quality: Number(quality) };
}
