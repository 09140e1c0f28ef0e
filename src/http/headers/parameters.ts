/** An HTTP token (RFC 9110 section 5.6.2): the syntax of field, cookie and parameter names. */
export const tokenPattern: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const quotedPattern = /^"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"$/;

/**
 * Parses `name=value` pairs (RFC 9110 section 5.6.6); names become lower case. `bare` is the pattern for unquoted values.
 * Returns undefined if a pair is malformed or a name is repeated. Empty parts are skipped.
 */
export function parseParameters(
  parts: readonly string[],
  bare: RegExp = tokenPattern,
): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (const part of parts) {
    const parameter = trimBlanks(part);
    if (parameter === '') continue;
    const equals = parameter.indexOf('=');
    const name = parameter.slice(0, Math.max(equals, 0)).toLowerCase();
    const value = unquote(parameter.slice(equals + 1), bare);
    if (!tokenPattern.test(name) || value === undefined || parameters.has(name)) return undefined;
    parameters.set(name, value);
  }
  return parameters;
}

/** Written as a loop: a regular expression for trailing blanks takes quadratic time on blanks inside the text. */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && (text[start] === ' ' || text[start] === '\t')) start += 1;
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(start, end);
}

function unquote(value: string, bare: RegExp): string | undefined {
  if (bare.test(value)) return value;
  return quotedPattern.test(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : undefined;
}

/** Splits at separators outside quoted strings. Returns undefined if a quoted string is not closed. */
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
