import type { RecordBucket } from '../model/profile-record.js';
import type { StoredSummary } from '../model/profile-store.js';
import { recordSchema } from '../model/profile-record.js';
import { PackReader, type PieceReader } from '../pack/pack-reader.js';
import {
  baseColumns,
  type BaseColumn,
  columnKinds,
  type SummaryColumn,
  type ColumnValue,
} from './summary-columns.js';
import { formErrors } from './error-codes.js';
import { guardReading } from './guard-reading.js';
import { fromTicks } from './ticks.js';

const baseNames: ReadonlySet<string> = new Set(baseColumns.map(({ name }) => name));

/** Reads the summaries of one segment; each column is decoded on first use. Methods throw the errors of `guardReading`. */
export class SummaryReader {
  readonly schema: number;
  readonly bucket: RecordBucket;
  readonly count: number;
  readonly #pack: PackReader;
  readonly #columns: readonly SummaryColumn[];
  readonly #read = new Map<string, readonly ColumnValue[]>();
  #collected: readonly string[] | undefined;

  constructor(directory: Uint8Array) {
    const { schema, bucket, count, columns, pack } = guardReading(() => readHead(directory));
    this.schema = schema;
    this.bucket = bucket;
    this.count = count;
    this.#columns = columns;
    this.#pack = pack;
  }

  /** Returns the values of a column by row; an empty list if the segment does not have the column. */
  column(name: string): readonly ColumnValue[] {
    let values = this.#read.get(name);
    if (values === undefined) {
      values = guardReading(() => this.#readColumn(name));
      this.#read.set(name, values);
    }
    return values;
  }

  /** Names of the columns that collectors declared. */
  get collectedNames(): readonly string[] {
    return (this.#collected ??= this.#columns.map(({ name }) => name).filter((name) => !baseNames.has(name)));
  }

  /** Returns a row as a summary. `key` is that of its record; `valueOf` is for callers that already have the values. */
  row(
    index: number,
    key: number,
    valueOf = (name: string): ColumnValue => this.column(name)[index] ?? null,
  ): StoredSummary {
    const collected: Record<string, number> = {};
    for (const name of this.collectedNames) collected[name] = Number(valueOf(name) ?? 0);
    return summaryOf(valueOf, { key, bucket: this.bucket, collected });
  }

  /** Returns a single value without decoding the entire column. */
  cell(name: string, index: number): ColumnValue {
    const known = this.#read.get(name);
    if (known !== undefined) return known[index] ?? null;
    return guardReading(() => {
      const { kind, from } = this.#open(name);
      if (from === undefined || index >= this.count) return null;
      if (kind !== 'count' && kind !== 'ms' && kind !== 'same')
        return readCells(from, kind, index + 1)[index] ?? null;
      if (kind !== 'same') from.skip(index);
      return readCell(from, kind, 0);
    });
  }

  #readColumn(name: string): ColumnValue[] {
    const { kind, from } = this.#open(name);
    if (from === undefined) return [];
    if (kind === 'same') return Array<ColumnValue>(this.count).fill(from.word());
    return readCells(from, kind, this.count);
  }

  #open(name: string): { readonly kind: SummaryColumn['kind']; readonly from: PieceReader | undefined } {
    const place = this.#columns.findIndex((column) => column.name === name);
    const kind = this.#columns[place]?.kind ?? 'same';
    return { kind, from: place === -1 ? undefined : this.#pack.open(place + 1) };
  }
}

/** Builds a summary from the values of its columns. */
function summaryOf(
  valueOf: (name: BaseColumn) => ColumnValue,
  rest: Pick<StoredSummary, 'key' | 'bucket' | 'collected'>,
): StoredSummary {
  const text = (name: BaseColumn): string | null => {
    const value = valueOf(name);
    return typeof value === 'string' ? value : null;
  };
  const number = (name: BaseColumn): number => Number(valueOf(name) ?? 0);
  const [durationMs, app, database] = [number('durationMs'), number('appMs'), number('databaseMs')];
  const [http, rendering] = [number('httpMs'), number('renderingMs')];
  const framework = Math.max(0, durationMs - app - database - http - rendering);
  const [origin, target, state] = [text('origin') ?? '', text('target') ?? '', text('state')];
  return {
    ...rest,
    sequence: number('sequence'),
    parent: text('parent'),
    trace: text('trace'),
    visitor: text('visitor'),
    startedAt: number('startedAt'),
    durationMs,
    breakdown: { framework, app, database, http, rendering },
    state: state === 'complete' || state === 'aborted' ? state : 'unfinished',
    method: text('method') ?? '',
    url: urlOf(origin, target),
    path: pathOf(target),
    status: number('status'),
    clientAddress: text('clientAddress') ?? '',
    route: text('route'),
    exception: text('exception'),
    errorClass: text('errorClass'),
    errorPlace: text('errorPlace'),
    warnings: number('warnings'),
    errors: number('errors'),
    logs: number('logs'),
    user: text('user'),
    instance: text('instance'),
    version: text('version'),
  };
}

/** Returns the absolute URL of a target. */
export function urlOf(origin: string, target: string): string {
  return target === '' || target.startsWith('/') ? origin + target : target;
}

function readHead(directory: Uint8Array): {
  schema: number;
  bucket: RecordBucket;
  count: number;
  columns: SummaryColumn[];
  pack: PackReader;
} {
  const pack = new PackReader(directory);
  const head = pack.open(0);
  const schema = head.number();
  if (schema > recordSchema)
    throw formErrors.create('PROFILER_RECORD_NEWER', { found: schema, known: recordSchema });
  const bucket = head.word() === 'profiler' ? 'profiler' : 'app';
  const count = head.number();
  if (count > directory.length) throw new RangeError('More rows are announced than there are.');
  const columns = Array.from({ length: head.count() }, () => readColumnHead(head));
  return { schema, bucket, count, columns, pack };
}

function readColumnHead(head: PieceReader): SummaryColumn {
  const name = head.word() ?? '';
  const word = head.word();
  const kind = columnKinds.find((known) => known === word);
  if (kind === undefined) throw new RangeError(`There is no kind of column "${word}".`);
  return { name, kind };
}

function readCells(from: PieceReader, kind: SummaryColumn['kind'], count: number): ColumnValue[] {
  const values: ColumnValue[] = [];
  let before = 0;
  for (let row = 0; row < count; row++) {
    const value = readCell(from, kind, before);
    if (typeof value === 'number') before = value;
    values.push(kind === 'time' ? before / 1000 : value);
  }
  return values;
}

/** `before`: the cell of the previous row, in microseconds for a time. */
function readCell(from: PieceReader, kind: SummaryColumn['kind'], before: number): ColumnValue {
  switch (kind) {
    case 'word':
    case 'same':
      return from.word();
    case 'text':
      return from.number() === 0 ? null : from.text();
    case 'ms':
      return fromTicks(from.number());
    case 'count':
      return from.number();
    case 'time':
    case 'step':
      return before + from.signed();
  }
}

export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  const slashes = path.indexOf('://');
  if (path.startsWith('/') || slashes === -1) return path;
  const start = path.indexOf('/', slashes + 3);
  return start === -1 ? '/' : path.slice(start);
}
