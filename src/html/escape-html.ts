const references: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '\0': '\uFFFD',
};

const specialCharacters = /["&'<>\0]/g;

/**
 * Makes text safe in HTML text and in quoted attribute values: the five characters that mean something to an HTML
 * parser become character references. NUL, which parsers drop or replace, becomes U+FFFD.
 */
export function escapeHtml(text: string): string {
  return text.search(specialCharacters) === -1
    ? text
    : text.replaceAll(specialCharacters, (character) => references[character] ?? '');
}
