/** Compares field names case-insensitively; they are ASCII (RFC 9110 section 5.1). */
export function sameName(left: string, right: string): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) {
    const code = left.charCodeAt(at);
    const other = right.charCodeAt(at);
    if (code !== other && !((code ^ other) === 32 && isLetter(code | 32))) return false;
  }
  return true;
}

function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Returns the first value of a field from a list of alternating names and values. `lowerName` must be in lower case. */
export function findField(raw: readonly string[], lowerName: string): string | undefined {
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at];
    if (name !== undefined && sameName(name, lowerName)) return raw[at + 1];
  }
  return undefined;
}
