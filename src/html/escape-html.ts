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
 * Escapes text for HTML content and quoted attribute values: the five special characters become character references, and
 * NUL, which parsers drop or replace, becomes U+FFFD.
 */
export function escapeHtml(text: string): string {
  return text.search(specialCharacters) === -1
    ? text
    : text.replaceAll(specialCharacters, (character) => references[character] ?? '');
}
