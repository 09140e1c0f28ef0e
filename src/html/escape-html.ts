const specialCharacter = /["&'<>]/;
const specialCharacters = /["&'<>]/g;

/**
 * Makes text safe in HTML text and in quoted attribute values: the five characters that mean something to an HTML
 * parser become character references. NUL, which parsers drop or replace, becomes U+FFFD.
 */
export function escapeHtml(text: string): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
  let at = clean.search(specialCharacter);
  if (at === -1) return clean;
  let out = '';
  let last = 0;
  while (at !== -1) {
    out += clean.slice(last, at) + referenceOf(clean.charCodeAt(at));
    last = at + 1;
    specialCharacters.lastIndex = last;
    at = specialCharacters.test(clean) ? specialCharacters.lastIndex - 1 : -1;
  }
  return out + clean.slice(last);
}

/** Of one of the five. */
function referenceOf(code: number): string {
  switch (code) {
    case 34:
      return '&quot;';
    case 38:
      return '&amp;';
    case 39:
      return '&#39;';
    case 60:
      return '&lt;';
    default:
      return '&gt;';
  }
}
