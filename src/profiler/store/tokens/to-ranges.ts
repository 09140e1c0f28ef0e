/** A range of keys, from `start` (inclusive) to `end` (exclusive). */
export interface KeyRange {
  readonly start: number;
  readonly end: number;
}

/** Returns sorted ranges that contain exactly these keys; duplicates count once. */
export function toRanges(keys: readonly number[]): KeyRange[] {
  const sorted = Float64Array.from(keys).sort();
  const ranges: KeyRange[] = [];
  let start = 0;
  for (let at = 1; at <= sorted.length; at++) {
    const last = sorted[at - 1] ?? 0;
    const next = sorted[at];
    if (next === last || next === last + 1) continue;
    ranges.push({ start: sorted[start] ?? 0, end: last + 1 });
    start = at;
  }
  return ranges;
}
