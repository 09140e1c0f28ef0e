/** One item of a weighted list. */
export interface QualityValue {
  /** The item without its parameters, in lower case: `text/html`, `fr-ca`, `*`. */
  readonly value: string;
  /** Weight from 0 (never) to 1. */
  readonly quality: number;
}

/** Characters and items that are read; no client needs more. */
const maxHeaderLength = 4096;
const maxItems = 100;

const weightForm = /^q[ \t]*=[ \t]*(.*)$/;
const qualityForm = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The items of a weighted list (RFC 9110 section 12.4.2) in the order they were sent. An item without a weight has 1.
 * An item with an invalid weight is omitted: it neither accepts nor excludes anything. At most 100 items.
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

/** How exactly a media range names a type: 3 the type itself, 2 `text/*`, 1 everything, 0 not at all. Both in lower case. */
export function rangeCloseness(range: string, type: string): 0 | 1 | 2 | 3 {
  if (range === type) return 3;
  if (range === '*/*' || range === '*') return 1;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1)) ? 2 : 0;
}
