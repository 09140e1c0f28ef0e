/** A range of bytes; both ends are inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const singleRangePattern = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

/**
 * Parses a Range header (RFC 9110 section 14.2) for a content of `size` bytes. Returns the range, `unsatisfiable`, or
 * undefined if the whole content must be sent: without a header, for malformed ones, and for several ranges.
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const found = singleRangePattern.exec(header ?? '');
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '') return last === '' ? undefined : suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 };
}
