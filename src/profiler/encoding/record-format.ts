import { type Codec, type Coder, codeRecord, type EncodedRecord } from './encoded-record.js';

/**
 * How encoded records cross to the writer's thread: each is a row of numbers (64-bit floats, the first two of which are its
 * bytes and how many numbers there are, negative if the texts are UTF-16) and then all its texts as one, in UTF-8. A text
 * is among the numbers by its length in UTF-16 units, −1 if it is absent. JSON of the whole would take the thread that
 * answers several times as long.
 */
const bytesOfNumber = 8;
const headNumbers = 2;
/** Bytes of a UTF-16 unit in UTF-8, at most. */
const bytesOfUnit = 3;
/** Memory that is kept for the next records; it is doubled as often as needed. */
const firstBytes = 16 * 1024;
const keptBytes = 1024 * 1024;
/** How full it must be to be given away; otherwise what was written is copied, as it may wait for long. */
const fullShare = 7 / 8;

/** Encoded records, one after the other. */
export class RecordEncoder implements Codec {
  #numbers: Float64Array = new Float64Array(firstBytes / bytesOfNumber);
  #bytes: Buffer = Buffer.from(this.#numbers.buffer);
  #end = 0;
  /** Place of the next number of the record that is being written. */
  #at = 0;
  /** Its texts, one after the other: to append each takes half the time of joining a list of them. */
  #text = '';

  get length(): number {
    return this.#end;
  }

  /** Adds a record. Throws, and adds nothing, if the record has what JSON cannot hold. */
  add(raw: EncodedRecord): void {
    const begin = this.#end / bytesOfNumber;
    this.#text = '';
    this.#at = begin;
    for (let head = 0; head < headNumbers; head++) this.#put(0);
    codeRecord(this, raw);
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

  number(value = 0): number {
    this.#put(value);
    return value;
  }

  flag(value: boolean | undefined): boolean {
    this.#put(value === true ? 1 : 0);
    return value === true;
  }

  text(value = ''): string {
    this.#put(value.length);
    this.#text += value;
    return value;
  }

  optionalText(value?: string): string | undefined {
    this.#put(value === undefined ? -1 : value.length);
    if (value !== undefined) this.#text += value;
    return value;
  }

  json<Value>(value: Value): Value {
    if (value === undefined) this.#put(-1);
    else this.optionalText(JSON.stringify(value));
    return value;
  }

  numbers(values: readonly number[] = []): readonly number[] {
    this.#put(values.length);
    this.#makeRoom((this.#at + values.length) * bytesOfNumber);
    const numbers = this.#numbers;
    let to = this.#at;
    for (let at = 0; at < values.length; at++) numbers[to++] = values[at] ?? 0;
    this.#at = to;
    return values;
  }

  texts(values: readonly string[] = []): readonly string[] {
    this.#put(values.length);
    for (let at = 0; at < values.length; at++) {
      const value = values[at] ?? '';
      this.#put(value.length);
      this.#text += value;
    }
    return values;
  }

  many<Value>(values: readonly Value[] = [], code: Coder<Value>): readonly Value[] {
    this.#put(values.length);
    for (let at = 0; at < values.length; at++) code(this, values[at] as Value); // `at` is within
    return values;
  }

  optional<Value>(value: Value | undefined, code: Coder<Value>): Value | undefined {
    this.#put(value === undefined ? 0 : 1);
    if (value !== undefined) code(this, value);
    return value;
  }

  /** Returns nothing, since a number that is returned may take memory. */
  #put(value: number): void {
    if (this.#at === this.#numbers.length) this.#makeRoom(this.#bytes.length + bytesOfNumber);
    this.#numbers[this.#at++] = value;
  }

  /** Returns the records in memory of their own, and begins anew. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#end);
    this.#end = 0;
    const { length } = this.#bytes;
    if (taken.length < length * fullShare || length > keptBytes) {
      if (length > keptBytes) this.#use(firstBytes);
      return new Uint8Array(taken);
    }
    this.#use(length); // as large: of another size, what is freed would not be used again
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

/** Returns what `RecordEncoder` took, in the same order. */
class RecordDecoder implements Codec {
  readonly #numbers: Float64Array;
  readonly #text: string;
  #at = headNumbers;
  #offset = 0;

  constructor(numbers: Float64Array, text: string) {
    this.#numbers = numbers;
    this.#text = text;
  }

  number(): number {
    const value = this.#numbers[this.#at++];
    if (value === undefined) throw new RangeError('An encoded record ends too early.');
    return value;
  }

  flag(): boolean {
    return this.number() === 1;
  }

  text(): string {
    return this.optionalText() ?? '';
  }

  optionalText(): string | undefined {
    const length = this.number();
    return length < 0 ? undefined : this.#text.slice(this.#offset, (this.#offset += length));
  }

  json<Value>(): Value {
    const text = this.optionalText();
    return (text === undefined ? undefined : JSON.parse(text)) as Value; // as it was written
  }

  numbers(): readonly number[] {
    return this.#all(() => this.number());
  }

  texts(): readonly string[] {
    return this.#all(() => this.text());
  }

  many<Value>(_: unknown, code: Coder<Value>): readonly Value[] {
    return this.#all(() => code(this, {}));
  }

  optional<Value>(_: unknown, code: Coder<Value>): Value | undefined {
    return this.flag() ? code(this, {}) : undefined;
  }

  #all<One>(read: () => One): One[] {
    const found: One[] = [];
    for (let left = this.number(); left > 0; left--) found.push(read());
    return found;
  }
}

export interface SizedRecord {
  readonly raw: EncodedRecord;
  readonly bytes: number;
}

/** Reads what `RecordEncoder` has written. One that cannot be read is left out, and reported. */
export function* decodeRecords(
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
      yield { raw: codeRecord(new RecordDecoder(numbers.subarray(at, at + count), text), {}), bytes: length };
    } catch (error) {
      failed(error);
    }
    at = end / bytesOfNumber;
  }
}
