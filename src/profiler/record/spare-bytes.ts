/** Sizes are powers of two; those up to what a full segment's text mostly needs are kept. */
const smallest = 64;
const largest = 262_144;
const mostOfSize = 8;
const spare = new Map<number, Buffer[]>();

/**
 * Memory for a tape, at least so many bytes; what is in it is left from another. Busy processes fill many segments a
 * second: memory that is used again need not be asked for, cleared and swept.
 */
export function takeBytes(needed: number): Buffer {
  const size = 2 ** Math.ceil(Math.log2(Math.max(needed, smallest)));
  return spare.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
}

/** Gives memory back that nobody looks at any more. */
export function giveBytes(bytes: Buffer): void {
  const size = bytes.length;
  if (size > largest) return;
  const known = spare.get(size);
  if (known === undefined) spare.set(size, [bytes]);
  else if (known.length < mostOfSize) known.push(bytes);
}
