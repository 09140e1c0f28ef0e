/**
 * Percent-encoded text, decoded as far as it goes: a broken escape stays as it is and bytes that are no UTF-8 become
 * U+FFFD. Throws nothing: a body can hold a broken escape in each of its bytes.
 */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const escaped = bytes[at] === 37 ? hexAt(bytes, at + 1) * 16 + hexAt(bytes, at + 2) : -1;
    if (escaped >= 0) at += 2;
    bytes[length++] = escaped >= 0 ? escaped : (bytes[at] ?? 0);
  }
  return bytes.toString('utf8', 0, length);
}

/** So far below zero that no other digit makes up for it, where there is no hexadecimal digit. */
function hexAt(bytes: Uint8Array, at: number): number {
  const code = bytes[at] ?? 0;
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1000;
}
