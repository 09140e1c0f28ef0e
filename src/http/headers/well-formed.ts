/** The text with U+FFFD in the place of lone surrogates, which UTF-8 cannot carry. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
