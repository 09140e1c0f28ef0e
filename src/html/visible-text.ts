/** Control characters but tab and line feed, and characters that turn or hide text: a reader would see another text than there is. */
const invisibleCharacters =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Tags, comments, and the elements whose text is no text of the page. */
const markup = /<(?:(style|script|textarea)\b[^]*?<\/\1>|!--[^]*?-->|[^<>"']*(?:"[^"]*"[^<>"']*)*>)|[^<]+/g;

/**
 * A page made here whose text is that of `visibleText` throughout, so that no text of it, wherever it came from, turns the
 * words around it. Values of attributes stay as they are.
 */
export function visiblePage(page: string): string {
  if (page.search(invisibleCharacters) === -1) return page;
  return page.replaceAll(markup, (part) => (part.startsWith('<') ? part : visibleText(part)));
}

/** Text with its invisible characters written out, e.g. `⟨U+202E⟩`, so that neither a page nor a terminal acts on them. */
export function visibleText(text: string): string {
  const lines = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  if (lines.search(invisibleCharacters) === -1) return lines;
  return lines.replaceAll(invisibleCharacters, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}
