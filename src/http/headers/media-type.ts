import { parseParameters, splitUnquoted, tokenPattern } from './parameters.js';

/** A parsed media type (RFC 9110 section 8.3.1). */
export interface MediaType {
  /** `application/json`, in lower case. */
  readonly essence: string;
  readonly type: string;
  readonly subtype: string;
  /** Parameter names in lower case, values as sent, unquoted. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parses a media type. Returns undefined for lists, trailing text, a tab in the name and repeated parameters. */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > 1000) return undefined;
  const [essence = '', ...rest] = splitUnquoted(text, ';') ?? [];
  const names = essence
    .replace(/^ +| +$/g, '')
    .toLowerCase()
    .split('/');
  const [type = '', subtype = ''] = names;
  if (names.length !== 2 || !tokenPattern.test(type) || !tokenPattern.test(subtype)) return undefined;
  const parameters = parseParameters(rest);
  if (parameters === undefined) return undefined;
  return { essence: `${type}/${subtype}`, type, subtype, parameters };
}

/** Returns true for `application/json` and every `+json` type. */
export function isJsonType({ essence, subtype }: MediaType): boolean {
  return essence === 'application/json' || subtype.endsWith('+json');
}
