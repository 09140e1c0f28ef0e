import { parseQualityValues } from '#negotiation';

/**
 * The content coding that the client likes best of those on offer, the earlier of equal ones; undefined where it takes
 * none of them, or likes the content as it is better (RFC 9110 section 12.5.3).
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
