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
 * One whose weight cannot be read is left out: it neither asks for anything nor refuses it. At most 100 items.
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
