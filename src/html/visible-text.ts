/** Control characters except tab and line feed, and bidirectional and invisible characters, which disguise a text. */
const invisibleCharacters =
  // oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Tags, comments, text, and elements whose content is not page text. */
const markup = /<(?:(style|script|textarea)\b[^]*?<\/\1>|!--[^]*?-->|[^<>"']*(?:"[^"]*"[^<>"']*)*>)|[^<]+/g;

/** Attributes that browsers or screen readers present as text. */
const readAttributes = / (?:title|aria-label)="[^"]*"/g;

/**
 * Applies `visibleText` to all text of a page rendered here, so that no foreign text can reorder the text around it. Also
 * applies it to the attributes `title` and `aria-label`; other attributes stay unchanged.
 */
export function visiblePage(page: string): string {
  if (!hasInvisible(page)) return page;
  return page.replaceAll(markup, (part, kind?: string) => {
    if (!part.startsWith('<')) return visibleText(part);
    return kind === undefined ? part.replaceAll(readAttributes, visibleText) : part;
  });
}

/** Makes invisible characters visible, e.g. as `⟨U+202E⟩`, so that neither a page nor a terminal acts on them. */
export function visibleText(text: string): string {
  const lines = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  if (!hasInvisible(lines)) return lines;
  return lines.replaceAll(invisibleCharacters, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}

/** Escapes invisible characters in JSON, or in code whose foreign parts are JSON: it stays the same data, safe to display. */
export function visibleJson(text: string): string {
  return text.replaceAll(
    invisibleCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function hasInvisible(text: string): boolean {
  return text.search(invisibleCharacters) !== -1;
}
