import { parseQualityValues } from '#negotiation';

/**
 * Returns the offered content coding that the client prefers, the first of equal ones. Returns undefined if it accepts
 * none of them or prefers unencoded content (RFC 9110 section 12.5.3).
 */
export function chooseEncoding<Coding extends string>(
  accept: string | undefined,
  offered: readonly Coding[],
): Coding | undefined {
  if (accept === undefined) return undefined;
  const weights = new Map(parseQualityValues(accept).map(({ value, quality }) => [value, quality]));
  const others = weights.get('*') ?? 0;
  let best: Coding | undefined;
  let bestWeight = weights.get('identity') ?? 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? others;
    if (weight > 0 && (best === undefined ? weight >= bestWeight : weight > bestWeight))
      [best, bestWeight] = [coding, weight];
  }
  return best;
}
