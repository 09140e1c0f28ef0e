import type { RawBody, RawLog, RawRecord, TakenNamed, TakenValue } from './raw-record.js';

/**
 * How raw records cross to the writer's thread: each is a row of numbers (64-bit floats, the first two of which are its
 * bytes and how many numbers there are) and then all its texts as one UTF-8 text. A text is among the numbers by its
 * length in UTF-16 units, −1 if it is absent; what few requests have is JSON in a text. `writeFacts` and `readFacts` name the
 * same facts in the same order. JSON of the whole took a tenth of the time of the thread that answers.
 */
const headNumbers = 2;
const bytesOfNumber = 8;
/** Bytes of a UTF-16 unit in UTF-8, at most. */
const bytesOfUnit = 3;
/** Memory that is kept for the next records; it is doubled as often as needed. */
const firstBytes = 16 * 1024;
const keptBytes = 1024 * 1024;

/** Numbers and texts of one record, in the order in which they are written. */
class FactWriter {
  numbers: Float64Array = new Float64Array(1024);
  count = 0;
  texts: string[] = [];
  /** UTF-16 units of the texts. */
  units = 0;

  clear(): void {
    this.count = headNumbers;
    this.texts = [];
    this.units = 0;
  }

  number(value: number): void {
    if (this.count === this.numbers.length) {
      const larger = new Float64Array(this.count * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.count++] = value;
  }

  text(value: string | undefined): void {
    if (value === undefined) return this.number(-1);
    this.number(value.length);
    if (value === '') return;
    this.texts.push(value);
    this.units += value.length;
  }

  list(texts: readonly string[]): void {
    this.number(texts.length);
    for (let at = 0; at < texts.length; at++) this.text(texts[at]);
  }

  json(value: unknown): void {
    this.text(value === undefined ? undefined : JSON.stringify(value));
  }
}

class FactReader {
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
    if (value === undefined) throw new RangeError('A raw record ends too early.');
    return value;
  }

  text(): string | undefined {
    const length = this.number();
    return length < 0 ? undefined : this.#text.slice(this.#offset, (this.#offset += length));
  }

  list(): string[] {
    return this.many(() => this.text() ?? '');
  }

  json(): unknown {
    const text = this.text();
    return text === undefined ? undefined : JSON.parse(text);
  }

  many<One>(read: () => One): One[] {
    const found: One[] = [];
    for (let left = this.number(); left > 0; left--) found.push(read());
    return found;
  }
}

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
    let end = textAt + this.#bytes.write(texts.join(''), textAt);
    while (end % bytesOfNumber > 0) this.#bytes[end++] = 0; // so that no byte of an earlier record is left
    this.#end = end;
    facts.numbers[0] = this.#end - begin;
    facts.numbers[1] = count;
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

/** Reads what `RawRecords` has written. One that cannot be read is left out, and told. */
export function* readRawRecords(
  data: Uint8Array,
  failed: (error: unknown) => void = () => {},
): Generator<SizedRecord> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const numbers = new Float64Array(data.buffer, data.byteOffset, Math.floor(data.byteLength / bytesOfNumber));
  for (let at = 0; at < numbers.length;) {
    const [length = 0, count = 0] = numbers.subarray(at, at + headNumbers);
    if (!(length > 0)) return;
    const begin = at * bytesOfNumber;
    const end = begin + length;
    try {
      const text = bytes.toString('utf8', begin + count * bytesOfNumber, end);
      yield { raw: readFacts(new FactReader(numbers.subarray(at, at + count), text)), bytes: length };
    } catch (error) {
      failed(error);
    }
    at = end / bytesOfNumber;
  }
}

/** What hardly any request has. */
type Rare = Pick<RawRecord, 'exception' | 'custom' | 'limits'> & {
  readonly trace?: NonNullable<RawRecord['route']>['trace'];
  readonly allow?: readonly string[] | undefined;
  readonly moreLogs?: NonNullable<RawRecord['logs']>['more'];
};

function writeFacts(raw: RawRecord, to: FactWriter): void {
  to.number(raw.id);
  to.number(raw.sequence);
  to.number(raw.bucket === 'app' ? 0 : 1);
  to.number(raw.startedAt);
  to.number(raw.end);
  to.text(raw.method);
  to.text(raw.target);
  to.text(raw.origin);
  to.text(raw.clientAddress);
  to.text(raw.peer[0]);
  to.number(raw.peer[1]);
  to.text(raw.httpVersion);
  to.list(raw.received);
  const { answered } = raw;
  to.number(typeof answered === 'string' ? 1 : 0);
  if (typeof answered === 'string') to.text(answered);
  else to.list(answered);
  to.text(raw.locale);
  to.text(raw.user);
  to.text(raw.trace);
  to.text(raw.rawHead);
  writeBody(raw.body, to);
  writeSent(raw.sent, to);
  writeRoute(raw.route, to);
  writeController(raw.controller, to);
  to.number(raw.spans.length);
  for (let at = 0; at < raw.spans.length; at++) to.number(raw.spans[at] ?? 0);
  writeLogs(raw.logs?.lines, to);
  writeSections(raw.sections, to);
  to.json(rareOf(raw));
}

function readFacts(from: FactReader): RawRecord {
  return {
    id: from.number(),
    sequence: from.number(),
    bucket: from.number() === 0 ? 'app' : 'profiler',
    startedAt: from.number(),
    end: from.number(),
    method: from.text() ?? '',
    target: from.text() ?? '',
    origin: from.text() ?? '',
    clientAddress: from.text() ?? '',
    peer: [from.text() ?? '', from.number()],
    httpVersion: from.text() ?? '',
    received: from.list(),
    answered: from.number() === 1 ? (from.text() ?? '') : from.list(),
    locale: from.text(),
    user: from.text(),
    trace: from.text(),
    rawHead: from.text(),
    body: readBody(from),
    sent: readSent(from),
    ...withRare({
      route: readRoute(from),
      controller: readController(from),
      spans: from.many(() => from.number()),
      logs: readLogs(from),
      sections: readSections(from),
      rare: from.json() as Rare | undefined, // written by `writeFacts`
    }),
  };
}

function rareOf({ exception, custom, limits, route, logs }: RawRecord): Rare | undefined {
  const trace = route?.trace;
  const allow = route?.allow;
  const moreLogs = logs?.more;
  const isUsual =
    exception === undefined &&
    custom === undefined &&
    limits === undefined &&
    trace === undefined &&
    allow === undefined &&
    moreLogs === undefined;
  return isUsual ? undefined : { exception, custom, limits, trace, allow, moreLogs };
}

type WithoutRare = Pick<RawRecord, 'route' | 'controller' | 'spans' | 'logs' | 'sections'>;

function withRare({
  route,
  logs,
  rare = {},
  ...rest
}: WithoutRare & { readonly rare: Rare | undefined }): WithoutRare &
  Pick<RawRecord, keyof Rare & keyof RawRecord> {
  const { trace, allow, moreLogs: more, ...others } = rare;
  return { ...rest, ...others, route: route && { ...route, trace, allow }, logs: logs && { ...logs, more } };
}

function writeBody(body: RawBody | undefined, to: FactWriter): void {
  to.text(body?.content);
  if (body === undefined) return;
  to.number(body.bytes);
  to.number((body.isBytes === true ? 1 : 0) + (body.isUnread === true ? 2 : 0));
}

function readBody(from: FactReader): RawBody | undefined {
  const content = from.text();
  if (content === undefined) return undefined;
  const bytes = from.number();
  const flags = from.number();
  return {
    content,
    bytes,
    isBytes: (flags & 1) === 0 ? undefined : true,
    isUnread: (flags & 2) === 0 ? undefined : true,
  };
}

function writeSent(sent: RawRecord['sent'], to: FactWriter): void {
  to.number(sent === undefined ? -1 : sent.status);
  if (sent === undefined) return;
  to.number(sent.bodyBytes);
  to.number(sent.completed ? 1 : 0);
  writeBody(sent.body, to);
}

function readSent(from: FactReader): RawRecord['sent'] {
  const status = from.number();
  if (status === -1) return undefined;
  return { status, bodyBytes: from.number(), completed: from.number() === 1, body: readBody(from) };
}

function writeRoute(route: RawRecord['route'], to: FactWriter): void {
  to.number(route === undefined ? -1 : route.isUntraced === true ? 1 : 0);
  if (route === undefined) return;
  to.text(route.name ?? undefined);
  to.text(route.path ?? undefined);
  writeNamed(route.parameters, to);
}

function readRoute(from: FactReader): RawRecord['route'] {
  const flag = from.number();
  if (flag === -1) return undefined;
  return {
    name: from.text() ?? null,
    path: from.text() ?? null,
    parameters: from.many(() => readNamed(from)),
    isUntraced: flag === 1 ? true : undefined,
  };
}

function writeController(controller: RawRecord['controller'], to: FactWriter): void {
  to.text(controller?.name);
  if (controller === undefined) return;
  to.text(controller.file);
  to.number(controller.line ?? 0);
  writeNamed(controller.arguments, to);
}

function readController(from: FactReader): RawRecord['controller'] {
  const name = from.text();
  if (name === undefined) return undefined;
  const file = from.text();
  const line = from.number() || undefined;
  return { name, file, line, arguments: from.many(() => readNamed(from)) };
}

/** What a taken value is; a picture is JSON, but for that of an object of which only the class is shown. */
const valueKind = { undefined: 0, null: 1, false: 2, true: 3, number: 4, string: 5, opaque: 6, picture: 7 };

function writeNamed(list: readonly TakenNamed[], to: FactWriter): void {
  to.number(list.length);
  for (let at = 0; at < list.length; at++) {
    to.text(list[at]?.name);
    writeValue(list[at]?.value, to);
  }
}

function writeValue(value: TakenValue, to: FactWriter): void {
  if (typeof value === 'string') {
    to.number(valueKind.string);
    to.text(value);
  } else if (typeof value === 'number') {
    to.number(valueKind.number);
    to.number(value);
  } else if (typeof value !== 'object') to.number(valueKind[String(value) as 'undefined' | 'true' | 'false']);
  else if (value === null) to.number(valueKind.null);
  else if (value.cut === 'depth' && Object.keys(value).length === 3 && value.type === 'object') {
    to.number(valueKind.opaque);
    to.text(value.text);
  } else {
    to.number(valueKind.picture);
    to.json(value);
  }
}

function readNamed(from: FactReader): TakenNamed {
  return { name: from.text() ?? '', value: readValue(from) };
}

function readValue(from: FactReader): TakenValue {
  switch (from.number()) {
    case valueKind.null:
      return null;
    case valueKind.false:
      return false;
    case valueKind.true:
      return true;
    case valueKind.number:
      return from.number();
    case valueKind.string:
      return from.text();
    case valueKind.opaque:
      return { type: 'object', text: from.text() ?? '', cut: 'depth' };
    case valueKind.picture:
      return from.json() as TakenValue; // written by `writeValue`
    default:
      return undefined;
  }
}

function writeLogs(lines: readonly RawLog[] | undefined, to: FactWriter): void {
  to.number(lines === undefined ? -1 : lines.length);
  if (lines === undefined) return;
  for (const [level, channel, message, offsetMs, context] of lines) {
    to.number(level);
    to.text(channel);
    to.text(message);
    to.number(offsetMs);
    to.json(context);
  }
}

function readLogs(from: FactReader): RawRecord['logs'] {
  const count = from.number();
  if (count === -1) return undefined;
  const lines: RawLog[] = [];
  while (lines.length < count)
    lines.push([
      from.number(),
      from.text() ?? '',
      from.text() ?? '',
      from.number(),
      from.json() as RawLog[4], // written by `writeLogs`
    ]);
  return { lines };
}

/** Sections that are a text are written as they are. */
function writeSections(sections: RawRecord['sections'], to: FactWriter): void {
  to.number(sections === undefined ? -1 : sections.length);
  if (sections === undefined) return;
  for (const [name, data] of sections) {
    to.text(name);
    to.number(typeof data === 'string' ? 1 : 0);
    if (typeof data === 'string') to.text(data);
    else to.json(data);
  }
}

function readSections(from: FactReader): RawRecord['sections'] {
  const count = from.number();
  if (count === -1) return undefined;
  const sections: [string, unknown][] = [];
  while (sections.length < count)
    sections.push([from.text() ?? '', from.number() === 1 ? from.text() : from.json()]);
  return sections;
}
