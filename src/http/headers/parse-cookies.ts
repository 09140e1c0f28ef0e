import { isUtf8 } from 'node:buffer';

/** Parses a Cookie header (RFC 6265 section 5.4) into name → value. The first cookie of a name wins. */
export function parseCookies(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals === -1) continue;
    const name = pair.slice(0, equals).trim();
    if (name !== '' && !cookies.has(name)) cookies.set(name, decodeValue(pair.slice(equals + 1).trim()));
  }
  return cookies;
}

function decodeValue(value: string): string {
  const bare = value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value;
  // Other applications on the host may set any value, so a malformed escape is kept as text and does not throw.
  if (!bare.includes('%') || /%(?![0-9A-Fa-f]{2})/.test(bare)) return bare;
  const bytes = Buffer.from(
    bare.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  return isUtf8(bytes) ? bytes.toString() : bare;
}
