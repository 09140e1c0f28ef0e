import type { ProfileRecord, RecordBucket } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import { durationClass, maxGroups, type TotalsGroup, type TotalsQuery } from '../model/profile-totals.js';
import type { PruneReason } from '../model/record-lookup.js';
import type { RecordMark } from '../model/record-marks.js';
import { findColumn, listColumns, readSummary, valuesOf } from '../record/columns.js';
import { findErrorPlace } from '../record/find-error-place.js';
import { addLateNotes, joinLateNotes, type LateNotes, type StoredLateNotes } from '../record/late-notes.js';
import { matches, sortValue } from '../record/matches.js';
import { idOf, isRandomId } from '../record/token.js';
import { markErrors, maxMarks } from './change-records.js';
import { fewRecords } from './count-totals.js';
import type {
  AbsentRecord,
  FinishedRecord,
  FoundRecord,
  ProcessCounts,
  RecordStore,
  Retention,
  StoreAnswer,
  StoreChange,
  StoreOptions,
  StorePage,
  StoreSearch,
  StoreTarget,
  StoreTotals,
  StoreWrite,
} from './record-store.js';
import { readCursor } from './read-records.js';
import { byReason } from './remove-records.js';

/** Estimated bytes of a row beside its document. */
const rowBytes = 500;

interface Entry {
  readonly id: number;
  /** Order of writing. */
  readonly position: number;
  readonly writtenAt: number;
  readonly document: string;
  summary: ProfileSummary;
  late?: StoredLateNotes;
}

/**
 * A store in an array of this process, for a Node without SQLite: what is recorded can be seen, and is gone with the
 * process. It filters and counts by going through all records.
 */
export class ArrayStore implements RecordStore {
  readonly #retention: Retention;
  readonly #process: StoreOptions['process'];
  readonly #startedAt: number = Date.now();
  readonly #name = Math.random().toString(36).slice(2, 10);
  #entries: Entry[] = [];
  readonly #byId = new Map<number, Entry>();
  #nextId = Math.floor(Math.random() * 2 ** 20);
  #nextPosition = 0;
  #notice: string | undefined;
  #account: ProcessCounts = { made: 0, dropped: 0, waiting: 0 };
  readonly #pruned: Record<PruneReason, number> = byReason(() => 0);
  /** Greatest id that was removed, by reason. */
  readonly #lastPruned: Record<PruneReason, number> = byReason(() => -1);

  constructor(
    retention: Retention,
    { process: own, notice }: { readonly process: StoreOptions['process']; readonly notice?: string },
  ) {
    this.#retention = retention;
    this.#process = own;
    this.#notice = notice;
  }

  append({ records, reserve = 0, account, waiting }: StoreWrite): Promise<StoreAnswer> {
    const refused = records.filter((one) => !this.#add(one)).length;
    this.#account = account ?? this.#account;
    this.#applyRetention(waiting);
    const reserved = reserve === 0 ? {} : { reserved: { from: this.#nextId, to: (this.#nextId += reserve) } };
    const notice = this.#notice;
    this.#notice = undefined;
    const tally = { records: this.#entries.length, bytes: this.#bytes(), pruned: { ...this.#pruned } };
    return Promise.resolve({
      ...reserved,
      refused,
      tally: notice === undefined ? tally : { ...tally, notice },
    });
  }

  find(id: number): Promise<FoundRecord | AbsentRecord> {
    const entry = this.#byId.get(id);
    if (entry === undefined) return Promise.resolve(this.#absent(id));
    const record = JSON.parse(entry.document) as ProfileRecord; // written by `append`
    const { mark } = entry.summary;
    return Promise.resolve({
      kind: 'found',
      record: entry.late === undefined ? record : addLateNotes(record, entry.late),
      ...(mark === undefined ? {} : { mark }),
    });
  }

  list({ query, before, after, id, limit, processes }: StoreSearch): Promise<StorePage> {
    const { where, sort = { column: 'closedAt', isAscending: false } } = query;
    const bucket = query.bucket ?? (id === undefined ? 'app' : undefined);
    const met = this.#entries.filter(
      (entry) =>
        (bucket === undefined || entry.summary.bucket === bucket) &&
        (id === undefined || entry.id === id) &&
        matches(entry.summary, where),
    );
    const accounts = processes === true ? { processes: [this.#ownAccount()] } : {};
    if (after !== undefined) return Promise.resolve({ ...this.#written(met, after, limit), ...accounts });
    const rank = (entry: Entry): number => sortValue(entry.summary, sort.column);
    const compare = (a: Entry, b: Entry): number =>
      (sort.isAscending ? rank(a) - rank(b) : rank(b) - rank(a)) || b.id - a.id;
    const sorted = met.sort(compare);
    const cursor = readCursor(before);
    const isBehind = (entry: Entry): boolean => {
      if (cursor === undefined) return before === undefined; // no row comes after what is no cursor
      const step = sort.isAscending ? rank(entry) - cursor.value : cursor.value - rank(entry);
      return step > 0 || (step === 0 && entry.id < cursor.id);
    };
    const from = sorted.findIndex(isBehind);
    const rows = from === -1 ? [] : sorted.slice(from, from + limit);
    const end = rows.at(-1);
    const isMore = from !== -1 && sorted.length > from + limit && end !== undefined;
    return Promise.resolve({
      rows: rows.map(({ summary }) => summary),
      next: isMore ? `${rank(end)}_${end.id}` : null,
      position: `${this.#name}.${this.#nextPosition}`,
      ...accounts,
    });
  }

  totals(query: TotalsQuery): Promise<StoreTotals> {
    const { bucket = 'app', where, groupBy = [], isCountOnly = false } = query;
    const met = this.#entries.filter(({ summary }) => summary.bucket === bucket && matches(summary, where));
    const members = new Map<string, Entry[]>();
    for (const entry of met) {
      const key = isCountOnly ? '[]' : JSON.stringify(groupValues(entry.summary, groupBy));
      const known = members.get(key);
      if (known === undefined) members.set(key, [entry]);
      else known.push(entry);
    }
    const groups = [...members.values()].map((entries) => groupOf(entries, query));
    const largest = groups.toSorted((a, b) => b.count - a.count).slice(0, maxGroups);
    return Promise.resolve({ groups: largest, complete: groups.length <= maxGroups });
  }

  update(target: StoreTarget, change: StoreChange): Promise<number> {
    if ('remove' in change) {
      const isGone = (entry: Entry): boolean =>
        'id' in target ? entry.id === target.id : entry.summary.bucket === target.bucket;
      return Promise.resolve(this.#remove('purge', this.#entries.filter(isGone)));
    }
    const entry = 'id' in target ? this.#byId.get(target.id) : undefined;
    if (entry === undefined) return Promise.resolve(0);
    if ('late' in change) noteLate(entry, change.late);
    else if (!this.#mark(entry, change.mark))
      return Promise.reject(markErrors.create('PROFILER_MARKS_FULL', { most: maxMarks }));
    return Promise.resolve(1);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Returns false if the token belongs to another record. */
  #add({ record, summary }: FinishedRecord): boolean {
    const id = idOf(record.token);
    if (id === undefined) return false;
    const document = JSON.stringify(record);
    const known = this.#byId.get(id);
    if (known !== undefined) return known.document === document;
    const values = valuesOf(summary);
    const row = Object.fromEntries(listColumns.map(({ name }, at) => [name, values[at]]));
    const entry: Entry = {
      id,
      position: this.#nextPosition++,
      writtenAt: performance.now(),
      document,
      summary: readSummary(row, summary.collected),
    };
    this.#entries.push(entry);
    this.#byId.set(id, entry);
    return true;
  }

  #bytes(): number {
    return this.#entries.reduce((sum, { document }) => sum + document.length + rowBytes, 0);
  }

  #applyRetention(waiting: Readonly<Record<RecordBucket, number>> = { app: 0, profiler: 0 }): void {
    const { records, profilerRecords, ageMs, bytes } = this.#retention;
    const loose = this.#entries.filter(({ summary }) => summary.mark === undefined);
    for (const [bucket, limit] of [
      ['app', records - waiting.app],
      ['profiler', profilerRecords - waiting.profiler],
    ] as const) {
      const own = loose.filter(({ summary }) => summary.bucket === bucket);
      const excess = own.length - Math.max(0, limit);
      if (excess > 0) this.#remove('count', own.sort(byEnd).slice(0, excess));
    }
    const oldest = performance.now() - ageMs;
    this.#remove(
      'age',
      loose.filter(({ id, writtenAt }) => writtenAt < oldest && this.#byId.has(id)),
    );
    let excess = this.#bytes() - bytes;
    const most: Entry[] = [];
    for (const entry of loose.sort((a, b) => a.position - b.position)) {
      if (excess <= 0) break;
      if (!this.#byId.has(entry.id)) continue;
      most.push(entry);
      excess -= entry.document.length + rowBytes;
    }
    this.#remove('bytes', most);
  }

  #remove(reason: PruneReason, gone: readonly Entry[]): number {
    if (gone.length === 0) return 0;
    for (const { id } of gone) {
      this.#byId.delete(id);
      if (!isRandomId(id)) this.#lastPruned[reason] = Math.max(this.#lastPruned[reason], id);
    }
    this.#pruned[reason] += gone.length;
    this.#entries = this.#entries.filter(({ id }) => this.#byId.has(id));
    return gone.length;
  }

  #mark(entry: Entry, mark: RecordMark | null): boolean {
    const { mark: known, ...summary } = entry.summary;
    const marked = this.#entries.filter((one) => one.summary.mark !== undefined).length;
    if (mark !== null && known === undefined && marked >= maxMarks) return false;
    entry.summary = mark === null ? summary : { ...summary, mark };
    return true;
  }

  #absent(id: number): AbsentRecord {
    const { waiting } = this.#account;
    if (!isRandomId(id) && id >= this.#nextId) return { kind: 'never' };
    if (waiting > 0) return { kind: 'unwritten' };
    if (isRandomId(id)) return { kind: 'never' };
    const by = Object.entries(this.#lastPruned).flatMap(
      ([reason, last]) => (last >= id ? [reason as PruneReason] : []), // a key of `byReason`
    );
    if (by.length === 0) return { kind: 'missing' };
    return { kind: 'pruned', by: by.length === 1 ? (by[0] ?? null) : null };
  }

  #written(met: readonly Entry[], after: string, limit: number): Omit<StorePage, 'processes'> {
    const [name, from = ''] = after.split('.');
    const isGap = name !== this.#name || !(Number(from) <= this.#nextPosition);
    const rows = isGap ? [] : met.filter(({ position }) => position >= Number(from)).slice(0, limit);
    const last = rows.length < limit ? this.#nextPosition : (rows.at(-1)?.position ?? 0) + 1;
    const page = { rows: rows.map(({ summary }) => summary), next: null, position: `${this.#name}.${last}` };
    return isGap ? { ...page, isGap } : page;
  }

  #ownAccount(): NonNullable<StorePage['processes']>[number] {
    const { prunedUnwritten = 0, ...counts } = this.#account;
    const pruned = Object.values(this.#pruned).reduce((sum, count) => sum + count, prunedUnwritten);
    return {
      ...(this.#process ?? { host: '', pid: process.pid, version: '' }),
      ...counts,
      startedAt: this.#startedAt,
      seenAt: Date.now(),
      state: 'running',
      stored: this.#entries.length,
      pruned,
    };
  }
}

/** Orders entries by the end of their requests. */
function byEnd(a: Entry, b: Entry): number {
  return sortValue(a.summary, 'closedAt') - sortValue(b.summary, 'closedAt') || a.id - b.id;
}

function noteLate(entry: Entry, late: LateNotes): void {
  const { logs = [], exception } = late;
  const { summary } = entry;
  entry.late = joinLateNotes(entry.late, late);
  const failed = logs.filter(({ level }) => /^(?:error|critical|alert|emergency)$/.test(level)).length;
  const outer = summary.errorClass === null ? exception?.errors.at(-1) : undefined;
  entry.summary = {
    ...summary,
    logs: summary.logs + logs.length,
    errors: summary.errors + failed,
    warnings: summary.warnings + failed + logs.filter(({ level }) => level === 'warning').length,
    ...(outer === undefined || exception === undefined
      ? {}
      : { errorClass: outer.class, exception: outer.message, errorPlace: findErrorPlace(exception) }),
  };
}

function groupValues(summary: ProfileSummary, groupBy: readonly string[]): TotalsGroup['values'] {
  return groupBy.map((field) => findColumn(field)?.of(summary) ?? null);
}

function isFailed({ status, errorClass }: ProfileSummary): boolean {
  return status >= 500 || (status < 300 && errorClass !== null);
}

function groupOf(entries: readonly Entry[], query: TotalsQuery): StoreTotals['groups'][number] {
  const rows = entries.map(({ summary }) => summary);
  const empty = { values: [], failed: 0, firstAt: 0, lastAt: 0, durations: {}, steps: [], lastToken: '' };
  if (query.isCountOnly === true) return { ...empty, count: rows.length };
  const times = rows.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const durations: Record<number, number> = {};
  for (const time of times) durations[durationClass(time)] = (durations[durationClass(time)] ?? 0) + 1;
  const begun = rows.map(({ startedAt }) => startedAt);
  const [first] = rows;
  return {
    values: first === undefined ? [] : groupValues(first, query.groupBy ?? []),
    count: rows.length,
    failed: rows.filter(isFailed).length,
    firstAt: begun.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY),
    lastAt: begun.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY),
    maxMs: times.at(-1) ?? 0,
    durations,
    steps: stepsOf(rows, query),
    lastToken: rows.at(-1)?.token ?? '',
    ...(rows.length < fewRecords ? { exactMs: times } : {}),
  };
}

function stepsOf(rows: readonly ProfileSummary[], { steps }: TotalsQuery): TotalsGroup['steps'] {
  const counts = Array.from({ length: steps?.count ?? 0 }, (): [number, number] => [0, 0]);
  for (const row of rows) {
    const place = counts[Math.floor((row.startedAt - (steps?.from ?? 0)) / (steps?.stepMs ?? 1))];
    if (place === undefined) continue;
    place[0]++;
    if (isFailed(row)) place[1]++;
  }
  return counts;
}
