import { type Codec, type Coder, codeRecord, type EncodedRecord } from './encoded-record.js';

/**
 * Format in which encoded records cross to the writer thread. Each is a row of numbers (64-bit floats; the first two
 * are its size in bytes and the count of numbers, negative if the texts are UTF-16), followed by all its texts as one,
 * in UTF-8. Each text is represented among the numbers by its length in UTF-16 units, −1 if absent. Encoding everything
 * as JSON would take the main thread several times as long.
 */
const bytesOfNumber = 8;
const headNumbers = 2;
/** Maximum UTF-8 bytes per UTF-16 unit. */
const bytesOfUnit = 3;
/** The buffer's initial size, doubled as often as needed, and the maximum size kept for the next records. */
const firstBytes = 16 * 1024;
const keptBytes = 1024 * 1024;
/**
 * Share that must be full to hand over the buffer itself; otherwise the records are copied, because they may wait for
 * long.
 */
const fullShare = 7 / 8;

/** Encodes records one after another. */
export class RecordEncoder implements Codec {
  #numbers: Float64Array = new Float64Array(firstBytes / bytesOfNumber);
  #bytes: Buffer = Buffer.from(this.#numbers.buffer);
  #end = 0;
  /** The index for the current record's next number. */
  #at = 0;
  /** The current record's texts. Appending takes half as long as joining a list. */
  #text = '';

  get length(): number {
    return this.#end;
  }

  /** Adds a record. If the record contains something that JSON cannot represent, throws and adds nothing. */
  add(raw: EncodedRecord): void {
    const begin = this.#end / bytesOfNumber;
    this.#text = '';
    this.#at = begin;
    for (let head = 0; head < headNumbers; head++) this.#put(0);
    codeRecord(this, raw);
    const textAt = this.#at * bytesOfNumber;
    const text = this.#text;
    this.#makeRoom(textAt + text.length * bytesOfUnit + bytesOfNumber);
    const isUtf8 = text.isWellFormed(); // lone surrogates have no UTF-8 form
    let end = textAt + this.#bytes.write(text, textAt, isUtf8 ? 'utf8' : 'utf16le');
    while (end % bytesOfNumber > 0) this.#bytes[end++] = 0; // clears leftover bytes of an earlier record
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
    for (let at = 0; at < values.length; at++) code(this, values[at] as Value); // `at` is within bounds
    return values;
  }

  optional<Value>(value: Value | undefined, code: Coder<Value>): Value | undefined {
    this.#put(value === undefined ? 0 : 1);
    if (value !== undefined) code(this, value);
    return value;
  }

  /** Returns void: a returned number may be boxed. */
  #put(value: number): void {
    if (this.#at === this.#numbers.length) this.#makeRoom(this.#bytes.length + bytesOfNumber);
    this.#numbers[this.#at++] = value;
  }

  /** Returns the records in their own memory, and starts over. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#end);
    this.#end = 0;
    const { length } = this.#bytes;
    if (taken.length < length * fullShare || length > keptBytes) {
      if (length > keptBytes) this.#use(firstBytes);
      return new Uint8Array(taken);
    }
    this.#use(length); // the same size, so that the allocator can reuse the freed block
    return taken;
  }

  /** Doubles the buffer until it has this many bytes, keeping its contents. */
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

/** Decodes values in the order in which `RecordEncoder` wrote them. */
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

/** Decodes records written by `RecordEncoder`. Skips and reports unreadable ones. */
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
