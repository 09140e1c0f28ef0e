import { crc32 } from 'node:zlib';
import { packKeys, unpackKeys } from '../tokens/key-list.js';

/** A block is what is lost at least where a byte of it is damaged. */
const blockBytes = 4096;
const sumBytes = 4;

/** The keys of a segment, and behind them the CRC-32 of themselves and of each block of the segment's parts. */
export function packKeysAndSums(keys: readonly number[], parts: readonly Uint8Array[]): Buffer {
  const packed = packKeys(keys);
  return Buffer.concat([packed, ...[packed, ...parts].map(sumsOf)]);
}

/**
 * The keys, and how many bytes of each part are as they were written; undefined for a segment without sums, as earlier
 * versions wrote them. Throws a RangeError where the keys themselves are damaged.
 */
export function checkSums(
  packed: Uint8Array,
  parts: readonly Uint8Array[],
): { readonly keys: readonly number[]; readonly sound: readonly number[] | undefined } {
  const keys = unpackKeys(packed);
  let at = packKeys(keys).length;
  if (at === packed.length) return { keys, sound: undefined };
  const own = packed.subarray(0, at);
  const [soundKeys, ...sound] = [own, ...parts].map((part) => {
    const sums = sumsOf(part);
    const stored = packed.subarray(at, (at += sums.length));
    for (let place = 0; place < sums.length; place += sumBytes)
      if (!sums.subarray(place, place + sumBytes).equals(stored.subarray(place, place + sumBytes)))
        return (place / sumBytes) * blockBytes;
    return part.length;
  });
  if (soundKeys !== own.length) throw new RangeError('The keys of the segment are damaged.');
  return { keys, sound };
}

function sumsOf(part: Uint8Array): Buffer {
  const sums = Buffer.alloc(Math.ceil(part.length / blockBytes) * sumBytes);
  for (let block = 0; block * sumBytes < sums.length; block++)
    sums.writeUInt32BE(crc32(part.subarray(block * blockBytes, (block + 1) * blockBytes)), block * sumBytes);
  return sums;
}
