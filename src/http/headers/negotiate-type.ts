import { parseQualityValues, mediaRangeSpecificity } from '#negotiation';
import type { QualityValue } from '#negotiation';

/**
 * Returns the `offered` type that the client prefers (RFC 9110 section 12.5.1). The most specific matching range gives
 * a type its quality; the highest quality wins, then the order of `offered`. Returns undefined if the client accepts
 * none. Without the header, everything is accepted. Malformed parts of the header are ignored.
 */
export function negotiateType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0];
  const ranges = parseQualityValues(accept);
  let best: string | undefined;
  let bestQuality = 0;
  for (const type of offered) {
    const quality = qualityOf(type.toLowerCase(), ranges);
    if (quality > bestQuality) [best, bestQuality] = [type, quality];
  }
  return best;
}

function qualityOf(type: string, ranges: readonly QualityValue[]): number {
  let found = 0;
  let bestSpecificity = 0;
  for (const { value, quality } of ranges) {
    const specificity = mediaRangeSpecificity(value, type);
    if (specificity > bestSpecificity) [bestSpecificity, found] = [specificity, quality];
  }
  return found;
}
