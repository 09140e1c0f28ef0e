/**
 * Returns the `offered` type that the client prefers (RFC 9110 section 12.5.1): the most specific matching range gives
 * a type its quality, and the highest quality wins. Ties go to the type that the client names more specifically, then
 * to the one it names first, then to the one offered first. Returns undefined if the client accepts none. Without the
 * header, everything is accepted. Malformed parts of the header are ignored.
 */
export function negotiateType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0];
  const ranges = parseQualityValues(accept);
  let best: { readonly type: Type; readonly match: Match } | undefined;
  for (const type of offered) {
    const match = matchOf(type.toLowerCase(), ranges);
    if (match.quality > 0 && (best === undefined || isBetter(match, best.match))) best = { type, match };
  }
  return best?.type;
}

interface Match {
  readonly quality: number;
  readonly specificity: number;
  /** The range's position in the header; the same for all wildcards. */
  readonly position: number;
}

function isBetter(one: Match, other: Match): boolean {
  if (one.quality !== other.quality) return one.quality > other.quality;
  if (one.specificity !== other.specificity) return one.specificity > other.specificity;
  return one.position < other.position;
}

function matchOf(type: string, ranges: readonly QualityValue[]): Match {
  let found: Match = { quality: 0, specificity: 0, position: 0 };
  for (const [position, { value, quality, hasParameters }] of ranges.entries()) {
    const family = mediaRangeSpecificity(value, type);
    // A range with parameters may also name other variants of this type, so the type without them takes precedence.
    const specificity = family === 3 && hasParameters ? 2.5 : family;
    const isMore = specificity > found.specificity;
    if (isMore || (specificity > 0 && specificity === found.specificity && quality > found.quality))
      found = { quality, specificity, position: family === 3 ? position : 0 };
  }
  return found;
}

/** How specifically a range matches a type, both in lower case: 3 the type itself, 2 `text/*`, 1 all types, 0 not at all. */
export function mediaRangeSpecificity(range: string, type: string): 0 | 1 | 2 | 3 {
  if (range === type) return 3;
  if (range === '*/*' || range === '*') return 1;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1)) ? 2 : 0;
}

/** One item in a weighted list. */
export interface QualityValue {
  /** The item without its parameters, in lower case: `text/html`, `fr-ca`, `*`. */
  readonly value: string;
  /** Weight from 0 (never) to 1. */
  readonly quality: number;
  /** Whether the item has parameters besides its weight: `text/html;level=1`. */
  readonly hasParameters: boolean;
}

/** Bounds on the parsed header, in characters and items. No real client sends more; the rest is ignored. */
const maxHeaderLength = 4096;
const maxItems = 100;

const weightForm = /^q[ \t]*=[ \t]*(.*)$/i;
const qualityForm = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Parses a weighted list (RFC 9110 section 12.4.2) of at most 100 items; items with an invalid weight are omitted. */
export function parseQualityValues(header: string): readonly QualityValue[] {
  const found: QualityValue[] = [];
  for (const item of splitUnquoted(header.slice(0, maxHeaderLength), ',') ?? []) {
    if (found.length === maxItems) break;
    const [value = '', ...parameters] = (splitUnquoted(item, ';') ?? []).map((piece) => piece.trim());
    if (value === '') continue;
    const weight = parameters.findIndex((parameter) => weightForm.test(parameter));
    const quality = qualityOf(parameters[weight]);
    const hasParameters = parameters.some((text, at) => text !== '' && (weight === -1 || at < weight));
    if (quality !== undefined) found.push({ value: value.toLowerCase(), quality, hasParameters });
  }
  return found;
}

function qualityOf(parameter: string | undefined): number | undefined {
  if (parameter === undefined) return 1;
  const weight = weightForm.exec(parameter)?.[1] ?? '';
  return qualityForm.test(weight) ? Number(weight) : undefined;
}

/** Splits at separators outside quoted strings. Returns undefined if a quoted string is not closed. */
export function splitUnquoted(text: string, separator: string): string[] | undefined {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (quoted) return undefined;
  parts.push(text.slice(start));
  return parts;
}
