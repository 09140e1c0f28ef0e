/**
 * Decodes percent-encoded text as far as possible: malformed escapes stay unchanged, and invalid UTF-8 becomes U+FFFD.
 * Avoids exceptions, which would be slow: every byte of a body can be a malformed escape.
 */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const escaped = bytes[at] === 37 ? hexDigitAt(bytes, at + 1) * 16 + hexDigitAt(bytes, at + 2) : -1;
    if (escaped >= 0) at += 2;
    bytes[length++] = escaped >= 0 ? escaped : (bytes[at] ?? 0);
  }
  return bytes.toString('utf8', 0, length);
}

/** Returns the value of a hexadecimal digit; otherwise -1000, which keeps the sum with another digit negative. */
function hexDigitAt(bytes: Uint8Array, at: number): number {
  const code = bytes[at] ?? 0;
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1000;
}
