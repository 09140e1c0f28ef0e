import { maxGroups, type TotalsQuery } from '../model/profile-totals.js';
import type { StoreTotals } from '../model/profile-totals.js';
import type { ProfileStore, StoredSummary, StoreTotalsOrder } from '../model/profile-store.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { classColumn, Column } from './column.js';
import { type FoundRows, prepareFinding, type RowColumns, type SegmentRows } from './find-rows.js';
import { startTurns } from './search-turns.js';

// One file with it for the bundler: both are loaded when a page asks for them.
export { searchSorted } from './sorted-rows.js';

/** Classes of durations: those below 0 come first. */
const classes = { first: -200, count: 600 } as const;

interface Group {
  readonly values: readonly ColumnValue[];
  readonly durations: Uint32Array;
  readonly steps: [count: number, failed: number][];
  count: number;
  failed: number;
  firstAt: number;
  lastAt: number;
  lastKey: number;
}

/** Counts the rows of segments, newest first, for so long as it may. */
export async function totalRows(
  segments: Iterable<SegmentRows>,
  { query, thrownLate }: StoreTotalsOrder,
): Promise<StoreTotals> {
  const counter = new TotalsCounter(query);
  const { isCountOnly = false } = query;
  const asked = { query, ...(thrownLate === undefined ? {} : { thrownLate }) };
  const { find, isWhole } = prepareFinding(asked);
  const turns = startTurns(query.withinMs);
  for (const segment of segments) {
    if (turns.isOver()) return counter.give({ isWhole: false });
    if (isCountOnly && isWhole(segment)) counter.addCount(segment.to - segment.from);
    else {
      const found = find(segment);
      if (found !== undefined) counter.addFound(found);
    }
    await turns.pass();
  }
  return counter.give({ isWhole: true });
}

/** The totals of a store that does not count by itself: its summaries are read page by page. */
export async function totalPages(
  store: Pick<ProfileStore, 'search'>,
  { query, thrownLate }: StoreTotalsOrder,
): Promise<StoreTotals> {
  const counter = new TotalsCounter(query);
  const turns = startTurns(query.withinMs);
  let before: number | undefined;
  for (;;) {
    const page = await store.search({
      query,
      limit: 1000,
      ...(thrownLate === undefined ? {} : { thrownLate }),
      ...(before === undefined ? {} : { before }),
    });
    counter.addFound({ rows: summaryColumns(page.rows), indexes: Uint32Array.from(page.rows.keys()) });
    if (page.next === null || !page.complete || turns.isOver())
      return counter.give({ isWhole: page.next === null && page.complete });
    before = page.next;
  }
}

function summaryColumns(rows: readonly StoredSummary[]): FoundRows['rows'] {
  const fields = rows.map((row) => new Map<string, unknown>(Object.entries({ ...row.collected, ...row })));
  return {
    key: (row) => rows[row]?.key ?? -1,
    column: (name) =>
      name === 'durationClass'
        ? classColumn(new Column(rows.map(({ durationMs }) => durationMs)))
        : new Column(
            fields.map((row) => {
              const value = row.get(name);
              return typeof value === 'string' || typeof value === 'number' ? value : null;
            }),
          ),
    rows: (indexes) => [...indexes].flatMap((index) => rows[index] ?? []),
  };
}

/** Puts the totals of two sets of rows together. */
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
    const groupOf = this.#groupsOf(rows, count);
    const startedAt = rows.column('startedAt').numbers(count);
    const durations = rows.column('durationClass').coded(count);
    const places = Array.from({ length: durations.values.length }, (_, at) =>
      placeOf(durations.values.at(at)),
    );
    const failed = failures(rows);
    const { from = 0, stepMs = 1, count: stepCount = 0 } = this.#query.steps ?? {};
    for (const index of indexes) {
      const group = groupOf(index);
      if (group === undefined) continue;
      const isFailed = failed(index);
      const at = startedAt[index] ?? 0;
      group.count++;
      if (isFailed) group.failed++;
      if (at < group.firstAt) group.firstAt = at;
      if (at > group.lastAt) {
        group.lastAt = at;
        group.lastKey = rows.key(index);
      }
      const place = places[durations.codes[index] ?? -1] ?? 0;
      group.durations[place] = (group.durations[place] ?? 0) + 1;
      const step = stepCount === 0 ? undefined : group.steps[Math.floor((at - from) / stepMs)];
      if (step === undefined) continue;
      step[0]++;
      if (isFailed) step[1]++;
    }
  }

  give({ isWhole }: { readonly isWhole: boolean }): StoreTotals {
    const isEmpty = this.#query.isCountOnly === true;
    const groups = [...this.#groups.values()].map(({ durations, firstAt, lastAt, ...group }) => ({
      ...group,
      firstAt: isEmpty ? 0 : firstAt,
      lastAt: isEmpty ? 0 : lastAt,
      durations: toRecord(durations),
    }));
    return { groups: bySize(groups), complete: isWhole && !this.#isCut };
  }

  /** The group of each row: looked for once for each set of values. */
  #groupsOf(rows: RowColumns, count: number): (row: number) => Group | undefined {
    const by = (this.#query.groupBy ?? []).map((name) => rows.column(name).coded(count));
    const known: (Group | null | undefined)[] = [];
    const find = (row: number): Group | null =>
      this.#groupOf(by.map(({ codes, values }) => values.at(codes[row] ?? -1) ?? null)) ?? null;
    const codes = by.length === 1 ? by[0]?.codes : combined(by, count);
    return (row) => {
      const code = codes?.[row] ?? 0;
      const group = known[code];
      return (group === undefined ? (known[code] = find(row)) : group) ?? undefined;
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
      const steps = Array.from({ length: this.#query.steps?.count ?? 0 }, (): [number, number] => [0, 0]);
      group = { values, count: 0, failed: 0, ...times, durations: new Uint32Array(classes.count), steps };
      this.#groups.set(name, group);
    }
    return group;
  }
}

/** Which rows failed: with a status of 500 or more, or with an error behind an answer below 300. */
function failures(rows: RowColumns): (row: number) => boolean {
  const status = rows.column('status');
  const isError = status.passing(passing((value) => Number(value) >= 500));
  const isSuccess = status.passing(passing((value) => Number(value) < 300));
  const hasError = rows.column('errorClass').passing(passing((value) => value !== null));
  return (row) => isError(row) || (isSuccess(row) && hasError(row));
}

/** One code for each set of codes. */
function combined(by: readonly ReturnType<Column['coded']>[], count: number): ArrayLike<number> {
  const codes = new Float64Array(count);
  for (const { codes: own, values } of by)
    for (let row = 0; row < count; row++) codes[row] = (codes[row] ?? 0) * values.length + (own[row] ?? 0);
  return codes;
}

function placeOf(found: ColumnValue | undefined): number {
  return Math.min(Number(found) - classes.first, classes.count - 1);
}

/** A test of the values of a column, as a condition. */
function passing(passes: (value: ColumnValue) => boolean): Parameters<Column['passing']>[0] {
  return { test: { kind: 'missing' }, passes };
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
