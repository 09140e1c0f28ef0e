import { FactReader, FactWriter, headNumbers } from './fact-list.js';
import { readFacts, writeFacts } from './raw-facts.js';
import type { RawRecord } from './raw-record.js';

/**
 * How raw records cross to the writer's thread: each is a row of numbers (64-bit floats, the first two of which are its
 * bytes and how many numbers there are, negative if the texts are UTF-16) and then all its texts as one, in UTF-8. JSON of the whole would take the
 * thread that answers several times as long.
 */
const bytesOfNumber = 8;
/** Bytes of a UTF-16 unit in UTF-8, at most. */
const bytesOfUnit = 3;
/** Memory that is kept for the next records; it is doubled as often as needed. */
const firstBytes = 16 * 1024;
const keptBytes = 1024 * 1024;

/** Raw records, one behind the other, in memory that is used again. */
export class RawRecords {
  readonly #facts = new FactWriter();
  #numbers: Float64Array = new Float64Array(firstBytes / bytesOfNumber);
  #bytes: Buffer = Buffer.from(this.#numbers.buffer);
  #end = 0;

  get length(): number {
    return this.#end;
  }

  /** Adds a record. Throws, and adds nothing, if the record has what JSON cannot hold. */
  add(raw: RawRecord): void {
    const facts = this.#facts;
    facts.clear();
    writeFacts(raw, facts);
    const { count, texts, units } = facts;
    this.#makeRoom(count * bytesOfNumber + units * bytesOfUnit + bytesOfNumber);
    const begin = this.#end;
    const textAt = begin + count * bytesOfNumber;
    const text = texts.join('');
    const isUtf8 = text.isWellFormed(); // UTF-8 has no lone surrogates
    let end = textAt + this.#bytes.write(text, textAt, isUtf8 ? 'utf8' : 'utf16le');
    while (end % bytesOfNumber > 0) this.#bytes[end++] = 0; // so that no byte of an earlier record is left
    this.#end = end;
    facts.numbers[0] = this.#end - begin;
    facts.numbers[1] = isUtf8 ? count : -count;
    this.#numbers.set(facts.numbers.subarray(0, count), begin / bytesOfNumber);
  }

  /** Returns the records in memory of their own, and begins anew. */
  take(): Uint8Array {
    const taken = Buffer.allocUnsafeSlow(this.#end);
    this.#bytes.copy(taken, 0, 0, this.#end);
    this.#end = 0;
    if (this.#bytes.length > keptBytes) this.#resize(firstBytes);
    return taken;
  }

  #makeRoom(bytes: number): void {
    let size = this.#bytes.length;
    while (size - this.#end < bytes) size *= 2;
    if (size > this.#bytes.length) this.#resize(size);
  }

  #resize(size: number): void {
    const numbers = new Float64Array(size / bytesOfNumber);
    const bytes = Buffer.from(numbers.buffer);
    this.#bytes.copy(bytes, 0, 0, this.#end);
    this.#numbers = numbers;
    this.#bytes = bytes;
  }
}

/** A raw record, and the bytes that it took. */
export interface SizedRecord {
  readonly raw: RawRecord;
  readonly bytes: number;
}

/** Reads what `RawRecords` has written. One that cannot be read is left out, and reported. */
export function* readRawRecords(
  data: Uint8Array,
  failed: (error: unknown) => void = () => {},
): Generator<SizedRecord> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const numbers = new Float64Array(data.buffer, data.byteOffset, Math.floor(data.byteLength / bytesOfNumber));
  for (let at = 0; at < numbers.length;) {
    const [length = 0, signed = 0] = numbers.subarray(at, at + headNumbers);
    const count = Math.abs(signed);
    if (!(length > 0)) return;
    const begin = at * bytesOfNumber;
    const end = begin + length;
    try {
      const text = bytes.toString(signed < 0 ? 'utf16le' : 'utf8', begin + count * bytesOfNumber, end);
      yield { raw: readFacts(new FactReader(numbers.subarray(at, at + count), text)), bytes: length };
    } catch (error) {
      failed(error);
    }
    at = end / bytesOfNumber;
  }
}
