import { randomBytes } from 'node:crypto';

/** An invertible multiplication modulo a power of two, so that tokens for consecutive ids do not look alike. */
interface Mix {
  /** Ids from the previous width's end (inclusive) to this one (exclusive) have tokens of this width. */
  readonly end: number;
  readonly digits: number;
  readonly factor: bigint;
  /** `factor * inverse` is 1 modulo `end`. */
  readonly inverse: bigint;
}

const mixes: readonly Mix[] = [24, 32, 40].map((bits) => {
  const factor = BigInt.asUintN(bits, 0x9e3779b97f4a7c15n) | 1n;
  let inverse = factor;
  // Each Newton step doubles the number of correct bits; for an odd factor, three are correct initially.
  for (let step = 0; step < 5; step++) inverse = BigInt.asUintN(bits, inverse * (2n - factor * inverse));
  return { end: 2 ** bits, digits: bits / 4, factor, inverse };
});

const smallFactor = Number(0x9e3779b97f4a7c15n & 0xffffffn) | 1;

/** Ids from here on are random: they belong to a process that has no reserved ids yet. */
const firstRandomId = 2 ** 48;
const randomDigits = 12;

/**
 * Returns an id's token: six hexadecimal digits below 2^24, then eight or ten, or twelve for random ids. Tokens
 * are not secret.
 */
export function tokenOf(id: number): string {
  if (id >= firstRandomId) return (id - firstRandomId).toString(16).padStart(randomDigits, '0');
  // By far the most frequent case, which needs no BigInt: the low 24 bits of a 32-bit product are the same.
  if (id < 2 ** 24) return (Math.imul(id, smallFactor) & 0xffffff).toString(16).padStart(6, '0');
  const { end, digits, factor } = mixes.find((mix) => id < mix.end) ?? { end: 0, digits: 0, factor: 0n };
  return ((BigInt(id) * factor) % BigInt(end)).toString(16).padStart(digits, '0');
}

export function idOf(token: string): number | undefined {
  if (!/^[0-9a-f]{6,12}$/.test(token)) return undefined;
  if (token.length === randomDigits) return firstRandomId + Number.parseInt(token, 16);
  const mix = mixes.find(({ digits }) => digits === token.length);
  if (mix === undefined) return undefined;
  const id = Number((BigInt(`0x${token}`) * mix.inverse) % BigInt(mix.end));
  return tokenOf(id) === token ? id : undefined;
}

/** Returns an id that needs no reservation. */
export function randomId(): number {
  return firstRandomId + randomBytes(6).readUIntBE(0, 6);
}

export function isRandomId(id: number): boolean {
  return id >= firstRandomId;
}

export function isToken(text: string): boolean {
  return /^[0-9a-f]{6,32}$/.test(text);
}
