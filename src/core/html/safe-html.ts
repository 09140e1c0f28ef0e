/**
 * Markup that may be sent unchanged. Create it with the `html` tag, which escapes all values, or with `trustedHtml`,
 * for text that is part of the program. Never wrap data from outside; the private field makes look-alikes impossible.
 */
export class SafeHtml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /**
   * Returns true for markup created by this module; false for a Proxy, a copy or an object from JSON. Runs no Proxy
   * trap.
   */
  static is(value: unknown): value is SafeHtml {
    return typeof value === 'object' && value !== null && #text in value;
  }
}

/** Returns true for markup created with `html`, `trustedHtml` or a renderer in this module. */
export function isSafeHtml(value: unknown): value is SafeHtml {
  return SafeHtml.is(value);
}

/** Marks program text, such as an icon, as markup. Never pass text from a request, a file, a log or a store. */
export function trustedHtml(text: string): SafeHtml {
  return new SafeHtml(text);
}

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
 * Escapes text for HTML content and quoted attribute values: the five special characters become character references,
 * and NUL, which parsers drop or replace, becomes U+FFFD.
 */
export function escapeHtml(text: string): string {
  return text.search(specialCharacters) === -1
    ? text
    : text.replaceAll(specialCharacters, (character) => references[character] ?? '');
}

const safeSchemes = new Set(['http:', 'https:', 'mailto:']);

/**
 * Returns a URL that is safe in `href`, `src` or `action`: relative, or with a harmless scheme (http, https, mailto and
 * those in `alsoAllowed`, e.g. `vscode:`). Any other URL becomes `#refused`, a link to nowhere.
 */
export function safeUrl(url: string, alsoAllowed: readonly string[] = []): string {
  // Browsers drop leading control characters and spaces, and tabs and line breaks anywhere.
  // oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
  const seen = url.replaceAll(/[\0-\x1f\x7f]/g, '').trimStart();
  const colon = seen.search(/[:/?#]/);
  if (colon === -1 || seen[colon] !== ':') return seen;
  const scheme = seen.slice(0, colon + 1).toLowerCase();
  return safeSchemes.has(scheme) || alsoAllowed.includes(scheme) ? seen : '#refused';
}

/** Control characters except tab and line feed, and bidirectional and invisible characters, which disguise a text. */
const invisibleCharacters =
  // oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Tags, comments, text, and elements whose content is not page text; as in browsers, these may lack their end. */
const markup =
  /<(?:(style|script|textarea)\b[^]*?(?:<\/\1>|$)|!--[^]*?(?:-->|$)|[^<>"']*(?:"[^"]*"[^<>"']*)*>)|[^<]+/g;

/** Attributes that browsers or screen readers present as text. */
const readAttributes = / (?:title|aria-label)="[^"]*"/g;

/**
 * Applies `visibleText` to all text of a page rendered here, so that no foreign text can reorder the text around it.
 * Also applies it to the attributes `title` and `aria-label`; other attributes stay unchanged.
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

/**
 * Escapes invisible characters in JSON, or in code whose foreign parts are JSON: it stays the same data, safe to
 * display.
 */
export function visibleJson(text: string): string {
  return text.replaceAll(
    invisibleCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function hasInvisible(text: string): boolean {
  return text.search(invisibleCharacters) !== -1;
}
