/** An address as a number, so that its many spellings compare as one. IPv4-mapped IPv6 is IPv4. */
export interface IpNumber {
  readonly family: 4 | 6;
  readonly value: bigint;
}

const MAPPED = 0xffffn << 32n;

/** Reads an address as a socket tells it (a zone such as `%lo` is left out); undefined for anything else. */
export function parseIp(text: string): IpNumber | undefined {
  const zone = text.indexOf('%');
  const bare = zone === -1 ? text : text.slice(0, zone);
  if (bare.length > 45) return undefined;
  if (!bare.includes(':')) {
    const value = parseIpv4(bare);
    return value === undefined ? undefined : { family: 4, value };
  }
  const value = parseIpv6(bare);
  if (value === undefined) return undefined;
  return value >> 32n === MAPPED >> 32n ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };
}

/** True for 127.0.0.0/8 (RFC 1122), ::1 (RFC 4291) and the mapped forms of the former. */
export function isLoopback(address: IpNumber): boolean {
  return address.family === 4 ? address.value >> 24n === 127n : address.value === 1n;
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    // No leading zero: some readers take it for octal, and a spelling with two meanings is none.
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '');
  const tail = parseGroups(halves[1] ?? '');
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: Math.max(missing, 0) }, () => 0n), ...tail];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

function parseGroups(text: string): bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.') && index === parts.length - 1) {
      const embedded = parseIpv4(part);
      if (embedded === undefined) return undefined;
      groups.push(embedded >> 16n, embedded & 0xffffn);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
