import { type Codec, type Coder, codeRecord, type EncodedRecord } from './encoded-record.js';

/**
 * Format in which encoded records cross to the writer thread. Each begins with two 32-bit integers (its size in bytes and
 * the size of its numbers, negative if the texts are UTF-16), followed by its numbers and by all its texts as one, in
 * UTF-8. Each text is represented among the numbers by its length in UTF-16 units, −1 if absent. Encoding everything as
 * JSON would take the main thread several times as long.
 *
 * A number from −1 to 251 takes one byte; others follow a byte that names their type. Most numbers are that small, and
 * thousands of records may wait in memory.
 */
const bytesOfHead = 8;
const leastSmall = -1;
const greatestSmall = 251;
const typeByte = { uint16: 253, int32: 254, float64: 255 } as const;
const maxBytesOfNumber = 9;
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
  #bytes: Buffer = Buffer.alloc(firstBytes);
  #view: DataView = viewOf(this.#bytes);
  #end = 0;
  /** Where the current record's next number begins. */
  #at = 0;
  /** The current record's texts. Appending takes half as long as joining a list. */
  #text = '';

  get length(): number {
    return this.#end;
  }

  /** Adds a record. If the record contains something that JSON cannot represent, throws and adds nothing. */
  add(raw: EncodedRecord): void {
    const begin = this.#end;
    this.#text = '';
    this.#at = begin + bytesOfHead;
    codeRecord(this, raw);
    const textAt = this.#at;
    const text = this.#text;
    this.#makeRoom(textAt + text.length * bytesOfUnit);
    const isUtf8 = text.isWellFormed(); // lone surrogates have no UTF-8 form
    this.#end = textAt + this.#bytes.write(text, textAt, isUtf8 ? 'utf8' : 'utf16le');
    const numberBytes = textAt - begin - bytesOfHead;
    this.#view.setInt32(begin, this.#end - begin, true);
    this.#view.setInt32(begin + 4, isUtf8 ? numberBytes : -numberBytes, true);
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
    for (let at = 0; at < values.length; at++) this.#put(values[at] ?? 0);
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

  many<Value>(values: readonly Value[] | undefined = [], code: Coder<Value>): readonly Value[] {
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
    this.#makeRoom(this.#at + maxBytesOfNumber);
    if ((value | 0) === value && value >= leastSmall && value <= greatestSmall)
      this.#bytes[this.#at++] = value - leastSmall;
    else this.#putLarge(value);
  }

  #putLarge(value: number): void {
    const view = this.#view;
    const at = this.#at + 1;
    if ((value | 0) !== value) {
      view.setUint8(this.#at, typeByte.float64);
      view.setFloat64(at, value, true);
      this.#at = at + 8;
    } else if (value >= 0 && value <= 0xff_ff) {
      view.setUint8(this.#at, typeByte.uint16);
      view.setUint16(at, value, true);
      this.#at = at + 2;
    } else {
      view.setUint8(this.#at, typeByte.int32);
      view.setInt32(at, value, true);
      this.#at = at + 4;
    }
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
    this.#view = viewOf(this.#bytes);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Decodes values in the order in which `RecordEncoder` wrote them. */
class RecordDecoder implements Codec {
  /** The record's numbers: reading beyond them throws. */
  readonly #view: DataView;
  readonly #text: string;
  #at = 0;
  #offset = 0;

  constructor(numbers: Uint8Array, text: string) {
    this.#view = viewOf(numbers);
    this.#text = text;
  }

  number(): number {
    const first = this.#view.getUint8(this.#at++);
    const at = this.#at;
    switch (first) {
      case typeByte.uint16:
        this.#at += 2;
        return this.#view.getUint16(at, true);
      case typeByte.int32:
        this.#at += 4;
        return this.#view.getInt32(at, true);
      case typeByte.float64:
        this.#at += 8;
        return this.#view.getFloat64(at, true);
      default:
        return first + leastSmall;
    }
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
  for (let begin = 0; begin + bytesOfHead <= bytes.length;) {
    const size = bytes.readInt32LE(begin);
    const signed = bytes.readInt32LE(begin + 4);
    if (!(size > 0)) return;
    const numbersAt = begin + bytesOfHead;
    const textAt = numbersAt + Math.abs(signed);
    const end = begin + size;
    try {
      const text = bytes.toString(signed < 0 ? 'utf16le' : 'utf8', textAt, end);
      const decoder = new RecordDecoder(bytes.subarray(numbersAt, textAt), text);
      yield { raw: codeRecord(decoder, {}), bytes: size };
    } catch (error) {
      failed(error);
    }
    begin = end;
  }
}
