import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { type TokenState, tokenStateOf } from '../tokens/token-state.js';

/** Page size of the store's files, in bytes. */
export const pageSize = 8192;

/** A value of a column or parameter in SQLite. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/**
 * Page types that contain rows. `head` is the size of the page header, `link` that of the child pointer at the start of
 * each cell, both in bytes.
 */
const pageTypes = new Map([
  [0x0d, { head: 8, link: 0, isTable: true }],
  [0x0a, { head: 8, link: 0, isTable: false }],
  [0x02, { head: 12, link: 4, isTable: false }],
]);
/**
 * Bytes of a row that are stored in its own page: up to `maxLocal`. Of a longer row at least `minLocal` bytes stay
 * there, and the rest goes to overflow pages.
 */
const maxLocal = { table: pageSize - 35, index: Math.floor(((pageSize - 12) * 64) / 255) - 23 };
const minLocal = Math.floor(((pageSize - 12) * 32) / 255) - 23;
const maxRowBytes = 64 * 1024 * 1024;
const maxColumns = 64;
/** Number of pages to search for the table `meta`: tables created together with the file start on its first pages. */
const firstPages = 32;
const [logHead, frameHead] = [32, 24];
/** Size of an integer in bytes, by its serial type. */
const integerBytes = [0, 1, 2, 3, 4, 6, 8];

/** A row of any table. `id` is its rowid, if the table has one. The last value may be truncated. */
export interface SalvagedRow {
  readonly id: number | undefined;
  readonly values: readonly SqliteValue[];
}

/**
 * Yields the rows of a file in SQLite's format (sqlite.org/fileformat2.html). Reads page by page, without following the
 * b-trees, which may be damaged. A page in the write-ahead log replaces the one in the file. Pages known to be free are
 * skipped.
 */
export function* salvageRows(
  path: string,
  maxPages: number = Number.POSITIVE_INFINITY,
): Iterable<SalvagedRow> {
  const file = openSync(path, 'r');
  const log = existsSync(`${path}-wal`) ? openSync(`${path}-wal`, 'r') : undefined;
  try {
    const pages = new Pages(file, log);
    const free = pages.free();
    for (let number = 1; number <= Math.min(pages.count, maxPages); number++) {
      const page = free.has(number) ? undefined : pages.read(number);
      if (page !== undefined) yield* rowsOf(pages, page, number === 1 ? 100 : 0);
    }
  } finally {
    closeSync(file);
    if (log !== undefined) closeSync(log);
  }
}

/** Reads the token state of a file that was set aside, so that tokens stay the same in the file that replaces it. */
export function salvageTokenState(path: string): TokenState | undefined {
  const meta = new Map<SqliteValue | undefined, SqliteValue | undefined>();
  for (const { id, values } of salvageRows(path, firstPages))
    if (id === undefined && values.length === 2) meta.set(values[0], values[1]);
  return tokenStateIn(meta);
}

/** Reads the token state from the rows of the table `meta`. Returns undefined if they contain no valid secret. */
export function tokenStateIn(meta: ReadonlyMap<unknown, SqliteValue | undefined>): TokenState | undefined {
  const secret = meta.get('secret');
  return typeof secret === 'string' && /^[0-9a-f]{32}$/.test(secret)
    ? tokenStateOf({ secret, to: Number(meta.get('next') ?? 0) })
    : undefined;
}

class Pages {
  readonly count: number;
  readonly #file: number;
  readonly #log: number | undefined;
  /** Offset in the log of the newest committed version of each page. */
  readonly #frames: ReadonlyMap<number, number>;

  constructor(file: number, log: number | undefined) {
    this.#file = file;
    this.#log = log;
    this.#frames = log === undefined ? new Map() : frameOffsets(log);
    const inFile = Math.ceil(fstatSync(file).size / pageSize);
    this.count = Math.max(inFile, ...this.#frames.keys());
  }

  /** Returns a page, or undefined if the file ends before it. A truncated last page is padded with zeros. */
  read(number: number): Buffer | undefined {
    const place = this.#frames.get(number);
    return this.#log === undefined || place === undefined
      ? readAt(this.#file, (number - 1) * pageSize, pageSize)
      : readAt(this.#log, place, pageSize);
  }

  /** Returns the numbers of the free pages, as far as the freelist can be followed. */
  free(): ReadonlySet<number> {
    const free = new Set<number>();
    let trunk = this.read(1)?.readUInt32BE(32) ?? 0;
    while (trunk > 0 && trunk <= this.count && !free.has(trunk)) {
      free.add(trunk);
      const page = this.read(trunk);
      const leaves = Math.min(page?.readUInt32BE(4) ?? 0, pageSize / 4 - 2);
      for (let at = 0; at < leaves; at++) free.add(page?.readUInt32BE(8 + 4 * at) ?? 0);
      trunk = page?.readUInt32BE(0) ?? 0;
    }
    return free;
  }
}

/**
 * Maps page numbers to offsets of their frames in the log, up to the last commit. Frames left over from before the last
 * reset of the log have other salts.
 */
function frameOffsets(log: number): ReadonlyMap<number, number> {
  const salts = readAt(log, 0, logHead)?.toString('latin1', 16, 24);
  const committed = new Map<number, number>();
  let open: [number, number][] = [];
  for (let at = logHead; ; at += frameHead + pageSize) {
    const head = readAt(log, at, frameHead);
    if (head === undefined || head.toString('latin1', 8, 16) !== salts) return committed;
    open.push([head.readUInt32BE(0), at + frameHead]);
    if (head.readUInt32BE(4) === 0) continue;
    for (const [number, place] of open) committed.set(number, place);
    open = [];
  }
}

function readAt(file: number, at: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  return readSync(file, bytes, 0, length, at) === 0 ? undefined : bytes;
}

function* rowsOf(pages: Pages, page: Buffer, start: number): Iterable<SalvagedRow> {
  const type = pageTypes.get(page[start] ?? 0);
  if (type === undefined) return;
  const cells = page.readUInt16BE(start + 3);
  for (let cell = 0; cell < cells; cell++) {
    const pointer = start + type.head + 2 * cell;
    if (pointer + 2 > pageSize) return;
    try {
      const from = page.readUInt16BE(pointer) + type.link;
      const [size, afterSize] = readVarint(page, from);
      const [id, at] = type.isTable ? readVarint(page, afterSize) : [undefined, afterSize];
      if (size > maxRowBytes || at > pageSize) continue;
      const limit = type.isTable ? maxLocal.table : maxLocal.index;
      yield { id, values: readValues(readPayload(pages, page, { at, size, limit })) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // The cell is damaged: it is skipped.
    }
  }
}

/** Returns the bytes of a row; fewer if one of its overflow pages is missing. */
function readPayload(
  pages: Pages,
  page: Buffer,
  { at, size, limit }: { at: number; size: number; limit: number },
): Buffer {
  if (size <= limit) return page.subarray(at, at + size);
  const rest = minLocal + ((size - minLocal) % (pageSize - 4));
  const local = rest <= limit ? rest : minLocal;
  const parts = [page.subarray(at, at + local)];
  let next = page.readUInt32BE(at + local);
  for (let left = size - local; left > 0 && next > 0 && next <= pages.count;) {
    const more = pages.read(next);
    if (more === undefined) break;
    parts.push(more.subarray(4, 4 + left));
    left -= pageSize - 4;
    next = more.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

/** Decodes the values of a row. Throws a RangeError if the bytes are not a valid row. */
function readValues(payload: Buffer): SqliteValue[] {
  const [end, begin] = readVarint(payload, 0);
  if (end > payload.length) throw new RangeError('The row is cut off.');
  const types: number[] = [];
  for (let at = begin; at < end;) {
    const [type, next] = readVarint(payload, at);
    if (types.push(type) > maxColumns) throw new RangeError('There are too many columns.');
    at = next;
  }
  let at = end;
  return types.map((type) => {
    const length =
      type >= 12 ? (type - (type % 2 === 0 ? 12 : 13)) / 2 : type === 7 ? 8 : (integerBytes[type] ?? 0);
    const bytes = payload.subarray(at, at + length);
    at += length;
    if (type >= 12) return type % 2 === 0 ? bytes : bytes.toString();
    if (type === 0) return null;
    if (type === 7) return bytes.readDoubleBE(0);
    if (type >= 8) return type - 8;
    return length > 6 ? Number(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, length);
  });
}

/**
 * Reads a varint: up to eight bytes with seven bits each, and a ninth with eight. Returns its value and the offset
 * after it.
 */
function readVarint(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0;
  for (let place = at; place < at + 8; place++) {
    const byte = bytes.readUInt8(place);
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, place + 1];
  }
  return [value * 256 + bytes.readUInt8(at + 8), at + 9];
}
