/** Control characters but tab and line feed, and characters that turn or hide text: a reader would see another text than there is. */
const invisibleCharacters =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Tags, comments, and the elements whose text is no text of the page. */
const markup = /<(?:(style|script|textarea)\b[^]*?<\/\1>|!--[^]*?-->|[^<>"']*(?:"[^"]*"[^<>"']*)*>)|[^<]+/g;

/** Values of attributes that are read, or shown by the browser. */
const readAttributes = / (?:title|aria-label)="[^"]*"/g;

/**
 * A page made here whose text is that of `visibleText` throughout, so that no text of it, wherever it came from, turns the
 * words around it. So are the attributes that are read, `title` and `aria-label`; others stay
 * as they are.
 */
export function visiblePage(page: string): string {
  if (!hasInvisible(page)) return page;
  return page.replaceAll(markup, (part, kind?: string) => {
    if (!part.startsWith('<')) return visibleText(part);
    return kind === undefined ? part.replaceAll(readAttributes, visibleText) : part;
  });
}

/** Text with its invisible characters written out, e.g. `⟨U+202E⟩`, so that neither a page nor a terminal acts on them. */
export function visibleText(text: string): string {
  const lines = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  if (!hasInvisible(lines)) return lines;
  return lines.replaceAll(invisibleCharacters, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}

/** JSON, or program text whose foreign parts are JSON, with escapes for what would turn or hide text or steer a terminal: the same data. */
export function visibleJson(text: string): string {
  return text.replaceAll(
    invisibleCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function hasInvisible(text: string): boolean {
  return text.search(invisibleCharacters) !== -1;
}
