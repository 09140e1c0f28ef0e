const special = /["&'<>]/;

/**
 * Text made safe to stand in HTML text and in quoted attribute values: the five characters that mean something to
 * an HTML parser become character references. NUL, which parsers drop or replace, becomes U+FFFD.
 */
export function escapeHtml(text: string): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
  if (!special.test(clean)) return clean;
  let out = '';
  let last = 0;
  for (let index = 0; index < clean.length; index++) {
    const reference = referenceOf(clean.charCodeAt(index));
    if (reference === undefined) continue;
    out += clean.slice(last, index) + reference;
    last = index + 1;
  }
  return out + clean.slice(last);
}

function referenceOf(code: number): string | undefined {
  switch (code) {
    case 34:
      return '&quot;';
    case 38:
      return '&amp;';
    case 39:
      return '&#39;';
    case 60:
      return '&lt;';
    case 62:
      return '&gt;';
    default:
      return undefined;
  }
}
