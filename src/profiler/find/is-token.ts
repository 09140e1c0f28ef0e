/** Returns whether a text has the syntax of a token: 6 to 32 lowercase hexadecimal digits. */
export function isToken(text: string): boolean {
  return /^[0-9a-f]{6,32}$/.test(text);
}
