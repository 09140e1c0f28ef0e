import { crc32, inflateRawSync } from 'node:zlib';
import type { SegmentData } from '../../find/find-rows.js';
import { guardReading } from '../../form/guard-reading.js';
import type { RecordBytes } from '../../form/segment-reader.js';
import { packKeys, unpackKeys } from '../tokens/key-list.js';

/** Bytes covered by one checksum: a damaged byte costs at least its whole block. */
const blockBytes = 4096;
const sumBytes = 4;
/** Maximum size of an inflated part of a segment, in bytes. */
const maxSegmentBytes = 128 * 1024 * 1024;

const noBytes = new Uint8Array(0);

/** A row of a segment, as a database returns it. */
type Row = Readonly<Record<string, unknown>>;

/** Packs the keys of a segment, followed by the CRC-32 of each block of the packed keys and of the segment's parts. */
export function packKeysAndSums(keys: readonly number[], parts: readonly Uint8Array[]): Buffer {
  const packed = packKeys(keys);
  return Buffer.concat([packed, ...[packed, ...parts].map(sumsOf)]);
}

/**
 * Returns the keys and, for each part, the number of leading bytes that are intact. `sound` is undefined for a segment
 * without checksums, as earlier versions wrote them. Throws a RangeError if the keys themselves are damaged.
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

/** Returns the bytes of a column. Throws a RangeError if there are none. */
export function columnBytes(row: Row, name: string): Uint8Array {
  const value = row[name];
  if (value instanceof Uint8Array) return value;
  throw new RangeError(`The segment has no ${name}.`);
}

/**
 * Reads the keys and the named parts of a segment, inflated. Throws a RangeError if they differ from what was written.
 */
export function readParts(
  row: Row,
  ...names: readonly string[]
): { keys: readonly number[]; parts: Uint8Array[] } {
  const parts = names.map((name) => columnBytes(row, name));
  const { keys, sound } = checkSums(columnBytes(row, 'keys'), parts);
  if (sound?.some((bytes, at) => bytes !== parts[at]?.length) === true)
    throw new RangeError('The bytes in the file are not those that were written.');
  return { keys, parts: parts.map((part) => inflateRawSync(part, { maxOutputLength: maxSegmentBytes })) };
}

/** Reads what searches need of a segment: its keys and its directory. Throws a RangeError if it is damaged. */
export function readDirectory(row: Row): SegmentData {
  const { keys, parts } = readParts(row, 'directory');
  return { keys, directory: parts[0] ?? noBytes };
}

/**
 * Locates a record in its segment. Returns undefined if it is among the first `gone` records, which have been pruned.
 * Throws `PROFILER_RECORD_DAMAGED`.
 */
export function readRecordBytes(row: Row, key: number, gone: number): RecordBytes | undefined {
  const { keys, parts } = guardReading(() => readParts(row, 'directory', 'body'));
  const [directory = noBytes, body = noBytes] = parts;
  const index = keys.indexOf(key);
  return index < gone ? undefined : { keys, directory, body, index };
}
