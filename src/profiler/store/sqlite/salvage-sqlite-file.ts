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
/** What there is of a stream that is cut off. */
const inflatingPart = { ...inflating, finishFlush: constants.Z_SYNC_FLUSH };
/** What is salvaged stays: the application that writes next prunes by its own bounds. */
const unbounded = {
  retention: {
    records: Number.MAX_SAFE_INTEGER,
    ageMs: Number.MAX_SAFE_INTEGER,
    bytes: Number.MAX_SAFE_INTEGER,
    profilerRecords: Number.MAX_SAFE_INTEGER,
  },
  fileBytes: Number.MAX_SAFE_INTEGER,
};

/** What was found in a file that may be damaged. */
export interface SalvageReport {
  /** Records that were put into the store. */
  readonly records: number;
  /** Records that the file had by its own account; undefined where that is lost too. */
  readonly expected: number | undefined;
  /** Marks and saved filters. */
  readonly notes: number;
  /** Whether tokens, and with them links, stay what they were. */
  readonly keepsTokens: boolean;
}

interface Head {
  readonly writtenAt: number;
  readonly records: number;
  readonly gone: number;
}

/** What the small tables say, as far as they can be read. */
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

  /** Whether a segment was not deleted: free pages keep their rows, and which ones are free may be lost. */
  isKept(segment: number, [key = 0]: readonly number[]): boolean {
    return this.heads.has(segment) || this.#ranges.has(`${key} ${segment}`);
  }

  /** How many of the first records of a segment were taken away before: they must not come back. */
  countPruned(keys: readonly number[]): number {
    const ranges = toRanges(keys);
    const near = this.pruned.filter((gone) =>
      ranges.some(({ start, end }) => gone[0] < end && start < gone[1]),
    );
    return keys.findLastIndex((key) => near.some(([start, end]) => key >= start && key < end)) + 1;
  }
}

/**
 * Puts every record of a damaged file that can be read into the store at `path`, which is made where there is none. What is
 * there already stays as it is. Throws coded errors of that store.
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
      // With the same secret a key is the same record, which was put back before.
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

/** The segment in a row, up to its first record that cannot be read. */
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
    // Without sums only what can be inflated as a whole is trusted.
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
