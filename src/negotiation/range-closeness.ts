/** How exactly a media range names a type: 3 the type itself, 2 `text/*`, 1 everything, 0 not at all. Both in lower case. */
export function rangeCloseness(range: string, type: string): 0 | 1 | 2 | 3 {
  if (range === type) return 3;
  if (range === '*/*' || range === '*') return 1;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1)) ? 2 : 0;
}
