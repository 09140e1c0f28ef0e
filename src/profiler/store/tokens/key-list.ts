import { ByteReader } from '../../pack/byte-reader.js';
import { ByteWriter } from '../../pack/byte-writer.js';

/** Encodes each key as its difference from the previous one, which is usually 1. */
export function packKeys(keys: readonly number[]): Uint8Array {
  const tape = new ByteWriter(64 + keys.length);
  tape.number(keys.length);
  let before = 0;
  for (const key of keys) {
    const difference = key - before;
    tape.number(difference < 0 ? -2 * difference - 1 : 2 * difference);
    before = key;
  }
  return tape.bytes.slice();
}

export function unpackKeys(bytes: Uint8Array): number[] {
  const tape = new ByteReader(bytes);
  const keys: number[] = [];
  let before = 0;
  for (let left = tape.count(); left > 0; left--) {
    const code = tape.number();
    before += code % 2 === 1 ? -(code + 1) / 2 : code / 2;
    keys.push(before);
  }
  return keys;
}
