import { constants, inflateRawSync } from 'node:zlib';
import { isCodedError } from '#coded-error';
import { unreadableRows } from '../../form/segment-reader.js';
import { SummaryReader } from '../../form/summary-reader.js';
import type { Segment } from '../../model/profile-store.js';
import { isPruneReason } from '../policy/retention.js';
import { checkSums } from '../pages/block-sums.js';
import { identifyProcess } from '../remote/remote-store.js';
import { toRanges } from '../tokens/to-ranges.js';
import { tokenStateIn, type SalvagedRow, salvageRows, type SqliteValue } from '../pages/database-pages.js';
import { closeQuietly, openSqliteFile } from './open-sqlite-file.js';
import { secretOf } from './sqlite-schema.js';
import { type RestoredPlace, SqliteWriter } from './sqlite-writer.js';

const busyMs = 5000;
const noBytes = new Uint8Array(0);
const inflating = { maxOutputLength: 128 * 1024 * 1024 };
/** Inflates as much as possible of a truncated stream. */
const inflatingPart = { ...inflating, finishFlush: constants.Z_SYNC_FLUSH };
/** Salvaged records are not pruned here: the application that writes next applies its own bounds. */
const unbounded = {
  retention: {
    records: Number.MAX_SAFE_INTEGER,
    ageMs: Number.MAX_SAFE_INTEGER,
    bytes: Number.MAX_SAFE_INTEGER,
    profilerRecords: Number.MAX_SAFE_INTEGER,
  },
  fileBytes: Number.MAX_SAFE_INTEGER,
};

/** Result of salvaging a file that may be damaged. */
export interface SalvageReport {
  /** Number of records copied to the store. */
  readonly records: number;
  /** Number of records according to the file itself; undefined if that information is lost too. */
  readonly expected: number | undefined;
  /** Number of marks and saved filters copied to the store. */
  readonly notes: number;
  /** Whether tokens, and therefore links, stay the same. */
  readonly keepsTokens: boolean;
}

interface Head {
  readonly writtenAt: number;
  readonly records: number;
  readonly gone: number;
}

/** Contents of the small tables, as far as they can be read. */
class Contents {
  readonly heads = new Map<number, Head>();
  readonly #ranges = new Set<string>();
  readonly meta = new Map<string, SqliteValue>();
  readonly notes: (readonly [kind: string, name: string, text: string])[] = [];
  readonly pruned: (readonly [start: number, end: number])[] = [];
  expected: number | undefined;

  add({ id, values }: SalvagedRow): void {
    const [, second, third] = values;
    if (id === undefined) this.#addNamed(values);
    else if (values.length === 10 && typeof third === 'string') this.#addHead(id, values);
    else if (values.length === 3 && typeof second === 'number') {
      if (isPruneReason(third)) this.pruned.push([id, second]);
      else this.#ranges.add(`${id} ${Number(third)}`);
    }
  }

  #addNamed([first, second, third, ...rest]: readonly SqliteValue[]): void {
    if (typeof first !== 'string' || second === undefined || rest.length > 0) return;
    if (third === undefined) this.meta.set(first, second);
    else if (typeof second === 'string' && typeof third === 'string') this.notes.push([first, second, third]);
    else if (/^(?:app|profiler)$/.test(first) && second !== third)
      this.expected = (this.expected ?? 0) + Number(second);
  }

  #addHead(id: number, [, , , , , writtenAt, records, gone]: readonly SqliteValue[]): void {
    this.heads.set(id, { writtenAt: Number(writtenAt), records: Number(records), gone: Number(gone) });
  }

  /**
   * Returns whether a segment was not deleted. Free pages still contain rows, and the list of free pages may be lost.
   */
  isKept(segment: number, [key = 0]: readonly number[]): boolean {
    return this.heads.has(segment) || this.#ranges.has(`${key} ${segment}`);
  }

  /** Returns the number of leading records of a segment that were pruned; they must not be restored. */
  countPruned(keys: readonly number[]): number {
    const ranges = toRanges(keys);
    const near = this.pruned.filter((gone) =>
      ranges.some(({ start, end }) => gone[0] < end && start < gone[1]),
    );
    return keys.findLastIndex((key) => near.some(([start, end]) => key >= start && key < end)) + 1;
  }
}

/**
 * Copies every readable record of a damaged file to the store at `path`, which is created if needed. Existing records
 * stay unchanged. Throws coded errors of that store.
 */
export function salvageSqliteFile(from: string, path: string): SalvageReport {
  const contents = new Contents();
  for (const row of salvageRows(from)) contents.add(row);
  const tokenState = tokenStateIn(contents.meta);
  const { db } = openSqliteFile({ path }, { busyMs, tokenState, setAside: from });
  try {
    const isSame = secretOf(db) === tokenState?.secret;
    const writer = new SqliteWriter(db, identifyProcess(), unbounded);
    for (const note of contents.notes) writer.putNote(...note);
    let records = 0;
    for (const row of salvageRows(from)) {
      const found = readSegment(row, contents);
      // With the same secret, the same key is the same record, which was already restored.
      if (found === undefined || (isSame && writer.has(found.segment.keys))) continue;
      records += found.segment.keys.length - found.place.gone;
      writer.restore(found.segment, found.place);
    }
    db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    const heads = [...contents.heads.values()].reduce((sum, head) => sum + head.records - head.gone, 0);
    const expected = contents.expected ?? (contents.heads.size > 0 ? heads : undefined);
    return { records, expected, notes: contents.notes.length, keepsTokens: isSame };
  } finally {
    closeQuietly(db);
  }
}

/** Reads the segment in a row, up to its first unreadable record. Returns undefined if nothing can be restored. */
function readSegment(
  { id, values }: SalvagedRow,
  contents: Contents,
): { readonly segment: Segment; readonly place: RestoredPlace } | undefined {
  const [, packed, ...parts] = values;
  if (id === undefined || values.length !== 4 || !(packed instanceof Uint8Array)) return undefined;
  try {
    const [directoryBytes = noBytes, bodyBytes = noBytes] = parts.filter(
      (part) => part instanceof Uint8Array,
    );
    const { keys: all, sound } = checkSums(packed, [directoryBytes, bodyBytes]);
    const [directoryLength, bodyLength] = sound ?? [];
    if (directoryLength !== undefined && directoryLength < directoryBytes.length) return undefined;
    const directory = inflateRawSync(directoryBytes, inflating);
    // Without checksums, only a body that can be inflated completely is trusted.
    const body = inflateRawSync(
      bodyBytes.subarray(0, bodyLength),
      sound === undefined ? inflating : inflatingPart,
    );
    const rows = new SummaryReader(directory);
    if (rows.count !== all.length || !contents.isKept(id, all)) return undefined;
    const head = contents.heads.get(id);
    const gone = Math.max(head?.gone ?? 0, contents.countPruned(all));
    const [to = all.length] = unreadableRows({ keys: all, directory, body }, gone);
    if (to === gone) return undefined;
    const begun = rows.column('startedAt').map(Number);
    const ended = rows.column('durationMs').map((duration, at) => (begun[at] ?? 0) + Number(duration));
    const [startedAt, closedAt] = [Math.min(...begun), Math.max(...ended)];
    const segment = {
      number: 0,
      bucket: rows.bucket,
      keys: all.slice(0, to),
      startedAt,
      closedAt,
      facts: {},
    };
    return {
      segment: { ...segment, directory, body },
      place: { id, writtenAt: head?.writtenAt ?? closedAt, gone },
    };
  } catch (error) {
    if (error instanceof RangeError || isCodedError(error)) return undefined; // damaged
    throw error;
  }
}
