interface AcceptRange {
  readonly range: string;
  readonly quality: number;
}

const MAX_RANGES = 100;

/**
 * The first of `offered` types that the client likes best (RFC 9110 section 12.5.1): the most specific range decides
 * the quality of a type, then the higher quality wins, then the order of `offered`. Undefined where it takes none.
 * Without the header everything is liked. What cannot be read in the header is passed over.
 */
export function negotiateType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0];
  const ranges = accept.split(',', MAX_RANGES).map(parseRange);
  let best: string | undefined;
  let bestQuality = 0;
  for (const type of offered) {
    const quality = qualityOf(type.toLowerCase(), ranges);
    if (quality > bestQuality) [best, bestQuality] = [type, quality];
  }
  return best;
}

function parseRange(text: string): AcceptRange {
  const [range = '', ...parameters] = text.split(';');
  for (const parameter of parameters) {
    const trimmed = parameter.trim();
    if (!/^q=/i.test(trimmed)) continue;
    const value = trimmed.slice(2);
    return {
      range: range.trim().toLowerCase(),
      quality: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0,
    };
  }
  return { range: range.trim().toLowerCase(), quality: 1 };
}

function qualityOf(type: string, ranges: readonly AcceptRange[]): number {
  let quality = 0;
  let rank = 0;
  for (const candidate of ranges) {
    const specific = specificity(type, candidate.range);
    if (specific > rank) [rank, quality] = [specific, candidate.quality];
  }
  return quality;
}

function specificity(type: string, range: string): number {
  if (range === type) return 3;
  if (range.endsWith('/*') && range !== '*/*' && type.startsWith(range.slice(0, -1))) return 2;
  return range === '*/*' || range === '*' ? 1 : 0;
}
