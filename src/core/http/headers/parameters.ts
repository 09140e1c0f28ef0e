import { splitUnquoted } from '#core/negotiation';

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
    const parameter = part.trim();
    if (parameter === '') continue;
    const equals = parameter.indexOf('=');
    const name = parameter.slice(0, Math.max(equals, 0)).toLowerCase();
    const value = unquote(parameter.slice(equals + 1), bare);
    if (!tokenPattern.test(name) || value === undefined || parameters.has(name)) return undefined;
    parameters.set(name, value);
  }
  return parameters;
}

function unquote(value: string, bare: RegExp): string | undefined {
  if (bare.test(value)) return value;
  return quotedPattern.test(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : undefined;
}

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

/** Whether a list of directives, such as Cache-Control, contains this one, given in lower case. */
export function hasDirective(list: string | undefined, name: string): boolean {
  return (list ?? '').split(',').some((directive) => directive.trim().toLowerCase() === name);
}

/** Returns true for `application/json` and every `+json` type. */
export function isJsonType({ essence, subtype }: MediaType): boolean {
  return essence === 'application/json' || subtype.endsWith('+json');
}

/** One hop in a Forwarded header (RFC 7239): parameter name in lower case → value without quotes. */
type ForwardedElement = ReadonlyMap<string, string>;

// Many proxies omit the quotes that RFC 7239 requires around an address with a port or in brackets.
const bareValuePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z:[\]-]+$/;

/** Parses a Forwarded header into its hops, the one nearest to the client first. Returns undefined if it is malformed. */
export function parseForwarded(header: string): readonly ForwardedElement[] | undefined {
  const elements: ForwardedElement[] = [];
  for (const element of splitUnquoted(header, ',') ?? [undefined]) {
    if (element === undefined) return undefined;
    const parsed = parseParameters(splitUnquoted(element, ';') ?? [], bareValuePattern);
    if (parsed === undefined) return undefined;
    if (parsed.size > 0) elements.push(parsed);
  }
  return elements;
}
