import { parseParameters, splitUnquoted } from './parameters.js';

/** One hop of a Forwarded header (RFC 7239): parameter name in lower case → value without quotes. */
export type ForwardedElement = ReadonlyMap<string, string>;

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
