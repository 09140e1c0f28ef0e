import { splitUnquoted } from './parse-forwarded.js';

/** A media type (RFC 9110 section 8.3.1), parsed once and looked at by everybody. */
export interface MediaType {
  /** `application/json`, in lower case. */
  readonly essence: string;
  readonly type: string;
  readonly subtype: string;
  /** Parameter names in lower case, values as sent, unquoted. */
  readonly parameters: ReadonlyMap<string, string>;
}

const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const quotedPattern = /^"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"$/;

/** The media type, or undefined where the text is none: a list, trailing text, a tab in the name, a repeated parameter. */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > 1000) return undefined;
  const [essence = '', ...rest] = splitUnquoted(text, ';') ?? [];
  const names = essence
    .replace(/^ +| +$/g, '')
    .toLowerCase()
    .split('/');
  const [type = '', subtype = ''] = names;
  if (names.length !== 2 || !tokenPattern.test(type) || !tokenPattern.test(subtype)) return undefined;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const parameter = part.replace(/^[ \t]+|[ \t]+$/g, '');
    if (parameter === '') continue;
    const equals = parameter.indexOf('=');
    const name = parameter.slice(0, Math.max(equals, 0)).toLowerCase();
    const value = unquote(parameter.slice(equals + 1));
    if (!tokenPattern.test(name) || value === undefined || parameters.has(name)) return undefined;
    parameters.set(name, value);
  }
  return { essence: `${type}/${subtype}`, type, subtype, parameters };
}

function unquote(value: string): string | undefined {
  if (tokenPattern.test(value)) return value;
  return quotedPattern.test(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : undefined;
}

/** True for `application/json` and every `+json`. */
export function isJsonType({ essence, subtype }: MediaType): boolean {
  return essence === 'application/json' || subtype.endsWith('+json');
}
