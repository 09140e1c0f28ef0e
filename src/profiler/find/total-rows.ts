import { durationClass, maxGroups, type TotalsQuery } from '../model/profile-totals.js';
import type { StoreTotals } from '../model/profile-totals.js';
import type { ProfileStore, StoredSummary, StoreTotalsOrder } from '../model/profile-store.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { Column, type ValueList } from './column.js';
import {
  type AnySegments,
  type FoundRows,
  prepareSearch,
  type RowColumns,
  type SegmentRows,
} from './find-rows.js';
import { startDeadline } from './search-deadline.js';

// Re-exported so that the bundler puts both into one file, which is loaded for pages only.
export { searchSorted } from './sorted-rows.js';

/** Range of the duration classes. Classes below 0 are durations below one millisecond. */
const classes = { first: -200, count: 600 } as const;

const countedColumns = ['startedAt', 'durationClass', 'status', 'errorClass'];

interface Group {
  readonly values: readonly ColumnValue[];
  readonly durations: Uint32Array;
  /** For each step, the count and the number of failed requests, alternating. */
  readonly steps: Uint32Array;
  count: number;
  failed: number;
  firstAt: number;
  lastAt: number;
  lastKey: number;
}

/** Counts the rows of segments, newest first, until the time limit of the query. */
export async function totalRows(
  segments: AnySegments,
  { query, thrownLate }: StoreTotalsOrder,
): Promise<StoreTotals> {
  const counter = new TotalsCounter(query);
  const { isCountOnly = false } = query;
  const { find, isWhole, prefetch } = prepareSearch({ query, thrownLate });
  const deadline = startDeadline(query.withinMs);
  const isUnread = (segment: SegmentRows): boolean => isCountOnly && isWhole(segment);
  const columns = isCountOnly ? [] : [...countedColumns, ...(query.groupBy ?? [])];
  for await (const segment of prefetch(segments, { columns, window: 8, isUnread })) {
    if (deadline.isOver()) return counter.result({ isWhole: false });
    if (isUnread(segment)) counter.addCount(segment.to - segment.from);
    else {
      const found = find(segment);
      if (found !== undefined) counter.addFound(found);
    }
    await deadline.yieldIfDue();
  }
  return counter.result({ isWhole: true });
}

/** Counts the records of a store that has no `totals`, by reading its summaries page by page. */
export async function totalPages(
  store: Pick<ProfileStore, 'search'>,
  { query, thrownLate }: StoreTotalsOrder,
): Promise<StoreTotals> {
  const counter = new TotalsCounter(query);
  const deadline = startDeadline(query.withinMs);
  let before: number | undefined;
  for (;;) {
    const page = await store.search({ query, limit: 1000, thrownLate, before });
    counter.addFound({ rows: summaryColumns(page.rows), indexes: Uint32Array.from(page.rows.keys()) });
    if (page.next === null || !page.complete || deadline.isOver())
      return counter.result({ isWhole: page.next === null && page.complete });
    before = page.next;
  }
}

function summaryColumns(rows: readonly StoredSummary[]): FoundRows['rows'] {
  const fields = rows.map((row) => {
    const all = { ...row.collected, ...row, durationClass: durationClass(row.durationMs) };
    return new Map<string, unknown>(Object.entries(all));
  });
  return {
    key: (row) => rows[row]?.key ?? -1,
    column: (name) =>
      new Column(
        fields.map((row) => {
          const value = row.get(name);
          return typeof value === 'string' || typeof value === 'number' ? value : null;
        }),
      ),
    rows: (indexes) => [...indexes].flatMap((index) => rows[index] ?? []),
  };
}

/** Adds the totals of two disjoint sets of rows. */
export function addTotals(a: StoreTotals, b: StoreTotals): StoreTotals {
  const groups = new Map<string, StoreTotals['groups'][number]>();
  for (const group of [...a.groups, ...b.groups]) {
    const name = JSON.stringify(group.values);
    const known = groups.get(name);
    groups.set(name, known === undefined ? group : addGroups(known, group));
  }
  return { groups: bySize([...groups.values()]), complete: a.complete && b.complete };
}

class TotalsCounter {
  readonly #query: TotalsQuery;
  readonly #groups = new Map<string, Group>();
  #isCut = false;

  constructor(query: TotalsQuery) {
    this.#query = query;
  }

  addCount(count: number): void {
    const group = this.#groupOf([]);
    if (group !== undefined) group.count += count;
  }

  addFound({ rows, indexes }: FoundRows): void {
    if (indexes.length === 0) return;
    if (this.#query.isCountOnly === true) return this.addCount(indexes.length);
    const count = Math.max(indexes[0] ?? 0, indexes.at(-1) ?? 0) + 1;
    const { codes, groups } = this.#groupsOf(rows, count);
    const startedAt = rows.column('startedAt').numbers(count);
    const durations = rows.column('durationClass').coded(count);
    const places = Array.from({ length: durations.values.length }, (_, at) =>
      placeOf(durations.values.at(at)),
    );
    const failed = failures(rows, count);
    const { from = 0, stepMs = 1, count: stepCount = 0 } = this.#query.steps ?? {};
    for (let at = 0; at < indexes.length; at++) {
      const index = indexes[at] ?? 0;
      const group = groups(codes?.[index] ?? 0, index);
      if (group === undefined) continue;
      const isFailed = failed(index);
      const begun = startedAt[index] ?? 0;
      const place = places[durations.codes[index] ?? -1] ?? 0;
      group.count++;
      group.failed += isFailed;
      group.durations[place] = (group.durations[place] ?? 0) + 1;
      if (begun < group.firstAt) group.firstAt = begun;
      if (begun > group.lastAt) {
        group.lastAt = begun;
        group.lastKey = rows.key(index);
      }
      const step = stepCount === 0 ? -1 : Math.floor((begun - from) / stepMs);
      if (step < 0 || step >= stepCount) continue;
      group.steps[step * 2] = (group.steps[step * 2] ?? 0) + 1;
      group.steps[step * 2 + 1] = (group.steps[step * 2 + 1] ?? 0) + isFailed;
    }
  }

  result({ isWhole }: { readonly isWhole: boolean }): StoreTotals {
    const isEmpty = this.#query.isCountOnly === true;
    const groups = [...this.#groups.values()].map(({ durations, steps, firstAt, lastAt, ...group }) => ({
      ...group,
      steps: toPairs(steps),
      firstAt: isEmpty ? 0 : firstAt,
      lastAt: isEmpty ? 0 : lastAt,
      durations: toRecord(durations),
    }));
    return { groups: bySize(groups), complete: isWhole && !this.#isCut };
  }

  /** Returns a code for each row, and a function from code to group that looks up each combination of values once. */
  #groupsOf(
    rows: RowColumns,
    count: number,
  ): {
    readonly codes: ArrayLike<number> | undefined;
    readonly groups: (code: number, row: number) => Group | undefined;
  } {
    const by = (this.#query.groupBy ?? []).map((name) => rows.column(name).coded(count));
    const known: (Group | null | undefined)[] = [];
    const find = (row: number): Group | null =>
      this.#groupOf(by.map(({ codes, values }) => values.at(codes[row] ?? -1) ?? null)) ?? null;
    return {
      codes: by.length === 1 ? by[0]?.codes : combined(by, count),
      groups(code, row) {
        const group = known[code];
        return (group === undefined ? (known[code] = find(row)) : group) ?? undefined;
      },
    };
  }

  #groupOf(values: readonly ColumnValue[]): Group | undefined {
    const name = JSON.stringify(values);
    let group = this.#groups.get(name);
    if (group === undefined && this.#groups.size >= maxGroups) {
      this.#isCut = true;
      return undefined;
    }
    if (group === undefined) {
      const times = { firstAt: Number.POSITIVE_INFINITY, lastAt: Number.NEGATIVE_INFINITY, lastKey: -1 };
      const steps = new Uint32Array((this.#query.steps?.count ?? 0) * 2);
      group = { values, count: 0, failed: 0, ...times, durations: new Uint32Array(classes.count), steps };
      this.#groups.set(name, group);
    }
    return group;
  }
}

/** Returns a function that is 1 for failed rows: status 500 or above, or an error after a response below 300. */
function failures(rows: RowColumns, count: number): (row: number) => 0 | 1 {
  const [status, error] = [rows.column('status').coded(count), rows.column('errorClass').coded(count)];
  const verdicts = (values: ValueList, verdict: (value: ColumnValue) => number): Uint8Array =>
    Uint8Array.from({ length: values.length }, (_, at) => verdict(values.at(at) ?? null));
  const byStatus = verdicts(status.values, (value) =>
    Number(value) >= 500 ? 2 : Number(value) < 300 ? 1 : 0,
  );
  const byError = verdicts(error.values, (value) => (value === null ? 0 : 1));
  return (row) => {
    const verdict = byStatus[status.codes[row] ?? -1] ?? 0;
    return verdict === 2 || (verdict === 1 && byError[error.codes[row] ?? -1] === 1) ? 1 : 0;
  };
}

/** Combines the codes of several columns into one code per row. */
function combined(by: readonly ReturnType<Column['coded']>[], count: number): ArrayLike<number> {
  const codes = new Float64Array(count);
  for (const { codes: own, values } of by)
    for (let row = 0; row < count; row++) codes[row] = (codes[row] ?? 0) * values.length + (own[row] ?? 0);
  return codes;
}

function placeOf(found: ColumnValue | undefined): number {
  return Math.min(Number(found) - classes.first, classes.count - 1);
}

function toPairs(steps: Uint32Array): [count: number, failed: number][] {
  return Array.from({ length: steps.length / 2 }, (_, at) => [steps[at * 2] ?? 0, steps[at * 2 + 1] ?? 0]);
}

function toRecord(durations: Uint32Array): Record<number, number> {
  const found: Record<number, number> = {};
  for (const [place, count] of durations.entries()) if (count > 0) found[place + classes.first] = count;
  return found;
}

function addGroups(a: StoreTotals['groups'][number], b: StoreTotals['groups'][number]): typeof a {
  const durations: Record<number, number> = { ...a.durations };
  for (const [name, count] of Object.entries(b.durations))
    durations[Number(name)] = (durations[Number(name)] ?? 0) + count;
  const latest = a.lastAt >= b.lastAt ? a : b;
  return {
    values: a.values,
    count: a.count + b.count,
    failed: a.failed + b.failed,
    firstAt: Math.min(a.firstAt, b.firstAt),
    lastAt: latest.lastAt,
    lastKey: latest.lastKey,
    durations,
    steps: a.steps.map(([count, failed], at) => [
      count + (b.steps[at]?.[0] ?? 0),
      failed + (b.steps[at]?.[1] ?? 0),
    ]),
  };
}

function bySize(groups: StoreTotals['groups'][number][]): StoreTotals['groups'] {
  return groups.sort((a, b) => b.count - a.count);
}
