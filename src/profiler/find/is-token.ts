/** True for what can be a token at all: 6 to 32 lowercase hexadecimal digits. */
export function isToken(text: string): boolean {
  return /^[0-9a-f]{6,32}$/.test(text);
}
