import { isUtf8 } from 'node:buffer';

const beyondAscii = /[\x80-\xff]/;
const beyondBytes = /[^\0-\xff]/;

/**
 * Returns a header value for display. HTTP libraries decode each byte as a Latin-1 character, but clients send UTF-8.
 */
export function headerText(value: string): string {
  if (!beyondAscii.test(value) || beyondBytes.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}

/**
 * Encodes a value that was decoded for display as its UTF-8 bytes, one character per byte, as HTTP libraries send it.
 */
export function headerBytes(text: string): string {
  return text === headerText(text) ? Buffer.from(text).toString('latin1') : text;
}
