import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import {
  durationClass,
  maxGroups,
  type ProfileTotals,
  type TotalsGroup,
  type TotalsQuery,
} from '../model/profile-totals.js';
import type { PruneReason } from '../model/record-lookup.js';
import { findColumn, listColumns, readSummary, valuesOf } from '../record/columns.js';
import { addLateNotes, joinLateNotes, lateColumns, type StoredLateNotes } from '../record/late-notes.js';
import { matches, sortValue } from '../record/matches.js';
import { idOf, isRandomId } from '../record/token.js';
import { markErrors, maxMarks } from './change-records.js';
import { fewRecords } from './count-totals.js';
import type {
  AbsentRecord,
  FinishedRecord,
  FoundRecord,
  RecordStore,
  Retention,
  StoreAnswer,
  StoreChange,
  StorePage,
  StoreSearch,
  StoreTarget,
  StoreWrite,
} from './record-store.js';
import { readCursor } from './read-records.js';
import { byReason, removedBy } from './remove-records.js';

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
  readonly #name = Math.random().toString(36).slice(2, 10);
  /** By id, in the order of writing. */
  readonly #entries = new Map<number, Entry>();
  #nextId = Math.floor(Math.random() * 2 ** 20);
  #nextPosition = 0;
  #notice: string | undefined;
  #waiting = 0;
  readonly #pruned: Record<PruneReason, number> = byReason(() => 0);
  /** Greatest id that was removed, by reason. */
  readonly #lastPruned: Record<PruneReason, number> = byReason(() => -1);

  constructor(retention: Retention, notice?: string) {
    this.#retention = retention;
    this.#notice = notice;
  }

  append({ records, reserve = 0, waiting = { app: 0, profiler: 0 } }: StoreWrite): Promise<StoreAnswer> {
    const refused = records.filter((one) => !this.#add(one)).length;
    this.#waiting = waiting.app + waiting.profiler;
    this.#applyRetention(waiting);
    const reserved = reserve === 0 ? {} : { reserved: { from: this.#nextId, to: (this.#nextId += reserve) } };
    const notice = this.#notice === undefined ? {} : { notice: this.#notice };
    this.#notice = undefined;
    const tally = { records: this.#entries.size, bytes: bytesOf(this.#all), pruned: { ...this.#pruned } };
    return Promise.resolve({ ...reserved, refused, tally: { ...tally, ...notice } });
  }

  find(id: number): Promise<FoundRecord | AbsentRecord> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return Promise.resolve(this.#absent(id));
    const { summary, late } = entry;
    const stored = JSON.parse(entry.document) as ProfileRecord; // written by `append`
    const record = late === undefined ? stored : addLateNotes(stored, late);
    return Promise.resolve({
      kind: 'found',
      record,
      ...(summary.mark === undefined ? {} : { mark: summary.mark }),
    });
  }

  list({ query, before, after, id, limit }: StoreSearch): Promise<StorePage> {
    const { where, sort = { column: 'closedAt', isAscending: false } } = query;
    const bucket = query.bucket ?? (id === undefined ? 'app' : undefined);
    const met = this.#all.filter(
      (entry) =>
        (bucket === undefined || entry.summary.bucket === bucket) &&
        (id === undefined || entry.id === id) &&
        matches(entry.summary, where),
    );
    if (after !== undefined) return Promise.resolve(this.#written(met, after, limit));
    const rank = ({ summary }: Entry): number =>
      sortValue(summary, sort.column) * (sort.isAscending ? 1 : -1);
    const cursor = readCursor(before);
    // No row comes after what is no cursor.
    const end = cursor === undefined ? Infinity : cursor.value * (sort.isAscending ? 1 : -1);
    const behind = met.filter(
      (entry) =>
        before === undefined || rank(entry) > end || (rank(entry) === end && entry.id < (cursor?.id ?? 0)),
    );
    const rows = behind.sort((a, b) => rank(a) - rank(b) || b.id - a.id).slice(0, limit);
    const last = rows.at(-1);
    const isMore = behind.length > limit && last !== undefined;
    return Promise.resolve({
      rows: rows.map(({ summary }) => summary),
      next: isMore ? `${sortValue(last.summary, sort.column)}_${last.id}` : null,
      position: `${this.#name}.${this.#nextPosition}`,
    });
  }

  totals(query: TotalsQuery): Promise<ProfileTotals> {
    const { bucket = 'app', where, groupBy = [] } = query;
    const members = new Map<string, ProfileSummary[]>();
    for (const { summary } of this.#all) {
      if (summary.bucket !== bucket || !matches(summary, where)) continue;
      const key = JSON.stringify(groupValues(summary, groupBy));
      const known = members.get(key);
      if (known === undefined) members.set(key, [summary]);
      else known.push(summary);
    }
    const groups = [...members.values()].sort((a, b) => b.length - a.length).slice(0, maxGroups);
    return Promise.resolve({
      groups: groups.map((rows) => groupOf(rows, query)),
      complete: members.size <= maxGroups,
    });
  }

  update(target: StoreTarget, change: StoreChange): Promise<number> {
    const entries = this.#all.filter(({ id, summary }) =>
      'id' in target ? id === target.id : summary.bucket === target.bucket,
    );
    if ('remove' in change) return Promise.resolve(this.#remove('purge', entries));
    const [entry] = 'id' in target ? entries : [];
    if (entry === undefined) return Promise.resolve(0);
    if ('late' in change) {
      const { logs, warnings, errors, ...thrown } = lateColumns(change.late, entry.summary.errorClass);
      const { summary } = entry;
      entry.late = joinLateNotes(entry.late, change.late);
      const [allLogs, allWarnings] = [summary.logs + logs, summary.warnings + warnings];
      entry.summary = {
        ...summary,
        ...thrown,
        logs: allLogs,
        warnings: allWarnings,
        errors: summary.errors + errors,
      };
      return Promise.resolve(1);
    }
    const { mark: known, ...summary } = entry.summary;
    const marks = this.#all.filter((one) => one.summary.mark !== undefined).length;
    if (change.mark !== null && known === undefined && marks >= maxMarks)
      return Promise.reject(markErrors.create('PROFILER_MARKS_FULL', { most: maxMarks }));
    entry.summary = change.mark === null ? summary : { ...summary, mark: change.mark };
    return Promise.resolve(1);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  get #all(): Entry[] {
    return [...this.#entries.values()];
  }

  /** Returns false if the token belongs to another record. */
  #add({ record, summary }: FinishedRecord): boolean {
    const id = idOf(record.token);
    if (id === undefined) return false;
    const document = JSON.stringify(record);
    const known = this.#entries.get(id);
    if (known !== undefined) return known.document === document;
    const values = valuesOf(summary);
    const row = Object.fromEntries(listColumns.map(({ name }, at) => [name, values[at]]));
    const stored = readSummary(row, summary.collected);
    const [position, writtenAt] = [this.#nextPosition++, performance.now()];
    this.#entries.set(id, { id, position, writtenAt, document, summary: stored });
    return true;
  }

  #applyRetention(waiting: NonNullable<StoreWrite['waiting']>): void {
    const { records, profilerRecords, ageMs, bytes } = this.#retention;
    const loose = (): Entry[] => this.#all.filter(({ summary }) => summary.mark === undefined);
    const closed = ({ summary }: Entry): number => sortValue(summary, 'closedAt');
    for (const [bucket, limit] of [
      ['app', records - waiting.app],
      ['profiler', profilerRecords - waiting.profiler],
    ] as const) {
      const own = loose().filter(({ summary }) => summary.bucket === bucket);
      const excess = Math.max(0, own.length - Math.max(0, limit));
      if (excess > 0)
        this.#remove('count', own.sort((a, b) => closed(a) - closed(b) || a.id - b.id).slice(0, excess));
    }
    const oldest = performance.now() - ageMs;
    this.#remove(
      'age',
      loose().filter(({ writtenAt }) => writtenAt < oldest),
    );
    let used = bytesOf(this.#all);
    for (const entry of used > bytes ? loose() : []) {
      if (used <= bytes) break;
      used -= bytesOf([entry]);
      this.#remove('bytes', [entry]);
    }
  }

  #remove(reason: PruneReason, gone: readonly Entry[]): number {
    for (const { id } of gone) {
      this.#entries.delete(id);
      if (!isRandomId(id)) this.#lastPruned[reason] = Math.max(this.#lastPruned[reason], id);
    }
    this.#pruned[reason] += gone.length;
    return gone.length;
  }

  #absent(id: number): AbsentRecord {
    if (!isRandomId(id) && id >= this.#nextId) return { kind: 'never' };
    if (this.#waiting > 0) return { kind: 'unwritten' };
    if (isRandomId(id)) return { kind: 'never' };
    return removedBy((reason) => this.#lastPruned[reason] >= id);
  }

  #written(met: readonly Entry[], after: string, limit: number): StorePage {
    const [name, from = ''] = after.split('.');
    const isGap = name !== this.#name || !(Number(from) <= this.#nextPosition);
    const rows = isGap ? [] : met.filter(({ position }) => position >= Number(from)).slice(0, limit);
    const last = rows.length < limit ? this.#nextPosition : (rows.at(-1)?.position ?? 0) + 1;
    const page = { rows: rows.map(({ summary }) => summary), next: null, position: `${this.#name}.${last}` };
    return isGap ? { ...page, isGap } : page;
  }
}

function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { document }) => sum + document.length + rowBytes, 0);
}

function groupValues(summary: ProfileSummary, groupBy: readonly string[]): TotalsGroup['values'] {
  return groupBy.map((field) => findColumn(field)?.of(summary) ?? null);
}

function isFailed({ status, errorClass }: ProfileSummary): boolean {
  return status >= 500 || (status < 300 && errorClass !== null);
}

function groupOf(
  rows: readonly ProfileSummary[],
  { groupBy = [], steps }: TotalsQuery,
): ProfileTotals['groups'][number] {
  const times = rows.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const begun = rows.map(({ startedAt }) => startedAt).sort((a, b) => a - b);
  const durations: Record<number, number> = {};
  for (const time of times) durations[durationClass(time)] = (durations[durationClass(time)] ?? 0) + 1;
  const counts = Array.from({ length: steps?.count ?? 0 }, (): [number, number] => [0, 0]);
  for (const row of rows) {
    const place = counts[Math.floor((row.startedAt - (steps?.from ?? 0)) / (steps?.stepMs ?? 1))];
    if (place === undefined) continue;
    place[0]++;
    if (isFailed(row)) place[1]++;
  }
  const [first] = rows;
  return {
    values: first === undefined ? [] : groupValues(first, groupBy),
    count: rows.length,
    failed: rows.filter(isFailed).length,
    firstAt: begun[0] ?? 0,
    lastAt: begun.at(-1) ?? 0,
    maxMs: times.at(-1) ?? 0,
    durations,
    steps: counts,
    lastToken: rows.at(-1)?.token ?? '',
    ...(rows.length < fewRecords ? { exactMs: times } : {}),
  };
}
