import { parseParameters, splitUnquoted } from './parameters.js';

/** One hop of a Forwarded header (RFC 7239): parameter name in lower case → value without quotes. */
export type ForwardedElement = ReadonlyMap<string, string>;

// Many proxies leave the quotes away that an address with a port or in brackets should have.
const bareValuePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z:[\]-]+$/;

/** The hops of a Forwarded header, nearest the client first. Undefined where it is malformed. One walk over the text. */
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
