import { createHash, randomBytes } from 'node:crypto';

/** Converts the numbers of records (keys) to their names (tokens) and back. */
export interface TokenCodec {
  tokenOf(key: number): string;
  /** Returns undefined if no key can have this token. */
  keyOf(token: string): number | undefined;
}

/** Widths of leased tokens in hexadecimal digits, each used up before the next begins. */
const widths = [6, 8, 10];
const firstOfWidth: readonly number[] = [0, 2 ** 24, 2 ** 24 + 2 ** 32];
const randomDigits = 12;
const bytesInHex: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

/** Returns a random key, which needs no lease: it is negative, and its token has twelve random digits. */
export function randomKey(): number {
  return -1 - randomBytes(6).readUIntBE(0, 6);
}

/**
 * Creates a codec that turns leased numbers into tokens by a keyed permutation: distinct numbers have distinct tokens,
 * and their order cannot be guessed. Tokens have six digits for the first 2^24 numbers, then eight, then ten.
 */
export function createTokenCodec(secret: string): TokenCodec {
  const tables = widths.map((width) => roundTables(secret, width));
  return {
    tokenOf(key) {
      if (key < 0) return hex(-1 - key, randomDigits);
      const place = key < 2 ** 24 ? 0 : key < 2 ** 24 + 2 ** 32 ? 1 : 2;
      const digits = widths[place] ?? 10;
      return hex(permute(key - (firstOfWidth[place] ?? 0), digits * 4, tables[place] ?? []), digits);
    },
    keyOf(token) {
      if (token.length === randomDigits) return -1 - Number.parseInt(token, 16);
      const place = widths.indexOf(token.length);
      if (place === -1) return undefined;
      const number = restore(Number.parseInt(token, 16), token.length * 4, tables[place] ?? []);
      return number + (firstOfWidth[place] ?? 0);
    },
  };
}

/** A balanced Feistel network of four rounds; its round function is a table filled from the secret. */
function permute(value: number, bits: number, tables: readonly Uint32Array[]): number {
  const half = bits === 24 ? 4096 : 2 ** (bits / 2);
  let left = Math.floor(value / half);
  let right = value % half;
  for (const table of tables) {
    const next = (left ^ mix(right, table)) & (half - 1);
    left = right;
    right = next;
  }
  return left * half + right;
}

function restore(value: number, bits: number, tables: readonly Uint32Array[]): number {
  const half = 2 ** (bits / 2);
  let left = Math.floor(value / half);
  let right = value % half;
  for (const table of tables.toReversed()) {
    const before = (right ^ mix(left, table)) & (half - 1);
    right = left;
    left = before;
  }
  return left * half + right;
}

function mix(value: number, table: Uint32Array): number {
  const low = table[value & 255] ?? 0;
  const middle = table[256 + ((value >>> 8) & 255)] ?? 0;
  return low ^ middle ^ (table[512 + ((value >>> 16) & 255)] ?? 0);
}

function roundTables(secret: string, width: number): Uint32Array[] {
  return [0, 1, 2, 3].map((round) => {
    const table = new Uint32Array(768);
    for (let at = 0; at < table.length; at += 8) {
      const digest = createHash('sha256').update(`${secret}:${width}:${round}:${at}`).digest();
      for (let word = 0; word < 8; word++) table[at + word] = digest.readUInt32LE(word * 4);
    }
    return table;
  });
}

function hex(value: number, digits: number): string {
  if (digits !== 6) return value.toString(16).padStart(digits, '0');
  // Looked up rather than converted, because this runs for every request.
  return (
    (bytesInHex[value >>> 16] ?? '') +
    (bytesInHex[(value >>> 8) & 255] ?? '') +
    (bytesInHex[value & 255] ?? '')
  );
}
