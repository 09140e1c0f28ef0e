/** One item of a weighted list. */
export interface QualityValue {
  /** The item without its parameters, in lower case: `text/html`, `fr-ca`, `*`. */
  readonly value: string;
  /** Weight from 0 (never) to 1. */
  readonly quality: number;
}

/** Bounds of the parsed header, in characters and items. No client sends more; the rest is ignored. */
const maxHeaderLength = 4096;
const maxItems = 100;

const weightForm = /^q[ \t]*=[ \t]*(.*)$/;
const qualityForm = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Parses a weighted list (RFC 9110 section 12.4.2); keeps the order of the header. An item without a weight has quality 1.
 * An item with an invalid weight is omitted: it neither accepts nor excludes anything. Returns at most 100 items.
 */
export function parseQualityValues(header: string): readonly QualityValue[] {
  const found: QualityValue[] = [];
  for (const part of header.slice(0, maxHeaderLength).split(',', maxItems)) {
    const [value = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = qualityOf(parameters);
    if (value !== '' && quality !== undefined) found.push({ value, quality });
  }
  return found;
}

function qualityOf(parameters: readonly string[]): number | undefined {
  for (const parameter of parameters) {
    const weight = weightForm.exec(parameter)?.[1];
    if (weight !== undefined) return qualityForm.test(weight) ? Number(weight) : undefined;
  }
  return 1;
}

/**
 * Returns how specifically a media range matches a type: 3 for the type itself, 2 for `text/*`, 1 for all types, 0 for no
 * match. Both must be in lower case.
 */
export function mediaRangeSpecificity(range: string, type: string): 0 | 1 | 2 | 3 {
  if (range === type) return 3;
  if (range === '*/*' || range === '*') return 1;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1)) ? 2 : 0;
}
