import { durationClass, maxGroups, type TotalsQuery } from '../model/profile-totals.js';
import type { StoreTotals } from '../model/profile-totals.js';
import type { ProfileStore, StoreTotalsOrder } from '../model/profile-store.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { type FoundRows, prepareFinding, type SegmentRows } from './find-rows.js';
import { startTurns } from './search-turns.js';

// One file with it for the bundler: both are loaded when a page asks for them.
export { searchSorted } from './sorted-rows.js';

type Group = {
  -readonly [Name in keyof StoreTotals['groups'][number]]: StoreTotals['groups'][number][Name];
} & {
  readonly durations: Record<number, number>;
  readonly steps: [count: number, failed: number][];
};

/** What is counted of a row. */
interface CountedRow {
  readonly key: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly status: number;
  readonly errorClass: ColumnValue;
}

/** Counts the rows of segments, newest first, for so long as it may. */
export async function totalRows(
  segments: Iterable<SegmentRows>,
  { query, thrownLate }: StoreTotalsOrder,
): Promise<StoreTotals> {
  const counter = new TotalsCounter(query);
  const { find, isWhole } = prepareFinding({ query, ...(thrownLate === undefined ? {} : { thrownLate }) });
  const turns = startTurns(query.withinMs);
  for (const segment of segments) {
    if (turns.isOver()) return counter.give({ isWhole: false });
    if (query.isCountOnly === true && isWhole(segment)) counter.addCount(segment.to - segment.from);
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
    for (const row of page.rows) {
      const columns = new Map<string, unknown>(Object.entries(row));
      counter.add(
        row,
        (query.groupBy ?? []).map((name) => {
          const value = columns.get(name) ?? row.collected[name];
          return typeof value === 'string' || typeof value === 'number' ? value : null;
        }),
      );
    }
    if (page.next === null || !page.complete || turns.isOver())
      return counter.give({ isWhole: page.next === null && page.complete });
    before = page.next;
  }
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

  addFound({ reader, keys, indexes }: FoundRows): void {
    const { groupBy = [], isCountOnly = false } = this.#query;
    if (isCountOnly) return this.addCount(indexes.length);
    const by = groupBy.map((name) => reader.column(name));
    const columns = ['startedAt', 'durationMs', 'status', 'errorClass'].map((name) => reader.column(name));
    const [startedAt = [], durationMs = [], status = [], errorClass = []] = columns;
    for (const index of indexes) {
      const row = {
        key: keys[index] ?? -1,
        startedAt: Number(startedAt[index]),
        durationMs: Number(durationMs[index]),
        status: Number(status[index]),
        errorClass: errorClass[index] ?? null,
      };
      this.add(
        row,
        by.map((column) => column[index] ?? null),
      );
    }
  }

  add({ key, startedAt, durationMs, status, errorClass }: CountedRow, values: readonly ColumnValue[]): void {
    const group = this.#groupOf(values);
    if (group === undefined) return;
    const isFailed = status >= 500 || (status < 300 && errorClass !== null);
    group.count++;
    if (isFailed) group.failed++;
    if (startedAt < group.firstAt) group.firstAt = startedAt;
    if (startedAt > group.lastAt) {
      group.lastAt = startedAt;
      group.lastKey = key;
    }
    const name = durationClass(durationMs);
    group.durations[name] = (group.durations[name] ?? 0) + 1;
    const { from = 0, stepMs = 1 } = this.#query.steps ?? {};
    const step = group.steps[Math.floor((startedAt - from) / stepMs)];
    if (step === undefined) return;
    step[0]++;
    if (isFailed) step[1]++;
  }

  give({ isWhole }: { readonly isWhole: boolean }): StoreTotals {
    return { groups: bySize([...this.#groups.values()]), complete: isWhole && !this.#isCut };
  }

  #groupOf(values: readonly ColumnValue[]): Group | undefined {
    const name = values.length === 1 ? String(values[0]) + typeof values[0] : JSON.stringify(values);
    let group = this.#groups.get(name);
    if (group === undefined && this.#groups.size >= maxGroups) {
      this.#isCut = true;
      return undefined;
    }
    if (group === undefined) {
      const isEmpty = this.#query.isCountOnly === true;
      const firstAt = isEmpty ? 0 : Number.POSITIVE_INFINITY;
      const lastAt = isEmpty ? 0 : Number.NEGATIVE_INFINITY;
      const times = { firstAt, lastAt, lastKey: -1 };
      const steps = Array.from({ length: this.#query.steps?.count ?? 0 }, (): [number, number] => [0, 0]);
      this.#groups.set(name, (group = { values, count: 0, failed: 0, ...times, durations: {}, steps }));
    }
    return group;
  }
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

function bySize<One extends StoreTotals['groups'][number]>(groups: One[]): One[] {
  return groups.sort((a, b) => b.count - a.count);
}
