import { FactReader, type FactWriter, headNumbers } from './fact-list.js';
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

/** Raw records, one behind the other. */
export class RawRecords implements FactWriter {
  #numbers: Float64Array = new Float64Array(firstBytes / bytesOfNumber);
  #bytes: Buffer = Buffer.from(this.#numbers.buffer);
  #end = 0;
  /** Place of the next number of the record that is being written. */
  #at = 0;
  /** Its texts, one behind the other: to append each takes half the time of joining a list of them. */
  #text = '';

  get length(): number {
    return this.#end;
  }

  /** Adds a record. Throws, and adds nothing, if the record has what JSON cannot hold. */
  add(raw: RawRecord): void {
    const begin = this.#end / bytesOfNumber;
    this.#text = '';
    this.#at = begin;
    for (let head = 0; head < headNumbers; head++) this.number(0);
    writeFacts(raw, this);
    const textAt = this.#at * bytesOfNumber;
    const text = this.#text;
    this.#makeRoom(textAt + text.length * bytesOfUnit + bytesOfNumber);
    const isUtf8 = text.isWellFormed(); // UTF-8 has no lone surrogates
    let end = textAt + this.#bytes.write(text, textAt, isUtf8 ? 'utf8' : 'utf16le');
    while (end % bytesOfNumber > 0) this.#bytes[end++] = 0; // so that no byte of an earlier record is left
    this.#end = end;
    this.#numbers[begin] = end - begin * bytesOfNumber;
    this.#numbers[begin + 1] = isUtf8 ? this.#at - begin : begin - this.#at;
  }

  number(value: number): void {
    if (this.#at === this.#numbers.length) this.#makeRoom(this.#bytes.length + bytesOfNumber);
    this.#numbers[this.#at++] = value;
  }

  text(value: string | undefined): void {
    if (value === undefined) return this.number(-1);
    this.number(value.length);
    this.#text += value;
  }

  list(texts: readonly string[]): void {
    this.number(texts.length);
    for (let at = 0; at < texts.length; at++) this.text(texts[at]);
  }

  json(value: unknown): void {
    this.text(value === undefined ? undefined : JSON.stringify(value));
  }

  /** Returns the records in memory of their own, and begins anew. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#end);
    this.#end = 0;
    if (taken.length < this.#bytes.length / 2) {
      if (this.#bytes.length > keptBytes) this.#use(firstBytes);
      return new Uint8Array(taken);
    }
    // The next batch will be about as large.
    const size = Math.min(Math.max(firstBytes, taken.length * 1.25), keptBytes);
    this.#use(Math.ceil(size / bytesOfNumber) * bytesOfNumber);
    return taken;
  }

  /** Doubles the memory until it has so many bytes. What is written of a record is kept. */
  #makeRoom(bytes: number): void {
    let size = this.#bytes.length;
    if (bytes <= size) return;
    while (size < bytes) size *= 2;
    const before = this.#bytes;
    this.#use(size);
    this.#bytes.set(before);
  }

  #use(size: number): void {
    this.#bytes = Buffer.allocUnsafeSlow(size);
    this.#numbers = new Float64Array(this.#bytes.buffer);
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
