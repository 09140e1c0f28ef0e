/** One hop of a Forwarded header (RFC 7239): parameter name in lower case → value without quotes. */
export type ForwardedElement = ReadonlyMap<string, string>;

// Many proxies leave the quotes away that an address with a port or in brackets should have.
const bareValuePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z:[\]-]+$/;
const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The hops of a Forwarded header, nearest the client first. Undefined where it is malformed. One walk over the text. */
export function parseForwarded(header: string): readonly ForwardedElement[] | undefined {
  const elements: ForwardedElement[] = [];
  for (const element of splitUnquoted(header, ',') ?? [undefined]) {
    if (element === undefined) return undefined;
    const parsed = parseElement(element);
    if (parsed === undefined) return undefined;
    if (parsed.size > 0) elements.push(parsed);
  }
  return elements;
}

function parseElement(text: string): ForwardedElement | undefined {
  const pairs = new Map<string, string>();
  for (const pair of splitUnquoted(text, ';') ?? []) {
    const trimmed = pair.trim();
    if (trimmed === '') continue;
    const equals = trimmed.indexOf('=');
    const name = trimmed.slice(0, Math.max(equals, 0)).toLowerCase();
    const value = unquote(trimmed.slice(equals + 1));
    if (equals <= 0 || !tokenPattern.test(name) || value === undefined || pairs.has(name)) return undefined;
    pairs.set(name, value);
  }
  return pairs;
}

function unquote(value: string): string | undefined {
  if (!value.startsWith('"')) return bareValuePattern.test(value) ? value : undefined;
  if (value.length < 2 || !value.endsWith('"')) return undefined;
  return value.slice(1, -1).replace(/\\(.)/g, '$1');
}

/** Splits at a separator that stands outside quoted strings; undefined where a quote is left open. */
export function splitUnquoted(text: string, separator: string): string[] | undefined {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (quoted) return undefined;
  parts.push(text.slice(start));
  return parts;
}
