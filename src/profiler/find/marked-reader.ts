import { type ErrorCodes, defineErrorCodes } from '#coded-error';
import type { ProfileCondition, ProfileList, ProfileNews, ProfileQuery } from '../model/profile-query.js';
import type { ProfileRecord, RecordBucket } from '../model/profile-record.js';
import type { ProfileStore } from '../model/profile-store.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { ProfileTotals, TotalsQuery } from '../model/profile-totals.js';
import type { RecordLookup } from '../model/record-lookup.js';
import type { RecordMark, RecordMarks, SavedFilter } from '../model/record-marks.js';
import { type Condition, prepareQuery } from './prepare-query.js';
import { RecordReader, type RecordSources } from './record-reader.js';
import { compareRanks } from './ranks.js';

/** Maximum number of marked records. */
const maxMarks = 100;
/** Maximum number of characters of the copy of a marked record. */
const maxCopyLength = 1024 * 1024;
const maxFilters = 50;

const table = {
  PROFILER_MARKS_FULL: {
    message: 'There are already {most}.',
    fix: 'Remove one first.',
  },
  PROFILER_MARK_TOO_LARGE: {
    message: 'The record has {length} characters as JSON; {most} can be kept.',
    fix: 'Save its JSON form in a file.',
  },
  PROFILER_MARK_OF_NOTHING: { message: 'There is no record {token}.', fix: 'Mark an existing one.' },
} as const;
export const markErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

interface StoredMark extends RecordMark {
  readonly summary: ProfileSummary;
}

/** Reads records with their marks. Marked records are found even after they were pruned, and can be searched by their marks. */
export class MarkedReader {
  readonly #reader: RecordReader;
  readonly #store: ProfileStore;
  /** Undefined if the store does not support notes. */
  readonly marks: RecordMarks | undefined;

  constructor(sources: RecordSources) {
    this.#reader = new RecordReader(sources);
    this.#store = sources.store;
    if (sources.store.notes === undefined || sources.store.putNote === undefined) return;
    this.marks = {
      of: async (token) => markOf((await this.#marks()).get(token)),
      set: (token, mark) => this.#set(token, mark),
      filters: () => this.#filters(),
      saveFilter: (name, query) => this.#saveFilter(name, query),
    };
  }

  /** Looks up a record by its token; `latest` stands for the newest record of the application. */
  async find(token: string): Promise<RecordLookup> {
    if (token === 'latest') {
      const [newest] = (await this.#reader.list({ limit: 1 })).rows;
      return newest === undefined ? { kind: 'never' } : this.find(newest.token);
    }
    const found = await this.#reader.find(token);
    if (found.kind === 'found' || found.kind === 'malformed') return found;
    const copy = await this.#store.notes?.('copy', token);
    const [text] = copy?.values() ?? [];
    return text === undefined ? found : { kind: 'found', record: JSON.parse(text) as ProfileRecord }; // our own writing
  }

  async list(query: ProfileQuery): Promise<ProfileList> {
    const marks = await this.#marks();
    const { own, rest } = splitWhere(query.where);
    const wanted = prepareQuery({ query: { where: own } });
    if (!meetsUnmarked(wanted)) return { rows: this.#markedRows(marks, query), next: null, complete: true };
    const list = await this.#reader.list(own.length === 0 ? query : { ...query, where: rest });
    const rows = list.rows.map((row) => withMark(row, marks.get(row.token)));
    return { ...list, rows: rows.filter((row) => meets(row, wanted)) };
  }

  /** Totals are not available for conditions on marks, whose rows are always on one page. */
  async totals(query: TotalsQuery): Promise<ProfileTotals> {
    const { own } = splitWhere(query.where);
    return own.length === 0 ? this.#reader.totals(query) : { groups: [], complete: true };
  }

  async news(
    query: Pick<ProfileQuery, 'bucket' | 'where'>,
    position: string | null,
  ): Promise<ProfileNews | undefined> {
    const { own, rest } = splitWhere(query.where);
    const news = await this.#reader.news({ ...query, where: rest }, position);
    return own.length === 0 || news === undefined ? news : { ...news, rows: [] }; // new records are not marked
  }

  /** Removes the marked records of a bucket, for a purge. */
  async forget(bucket: RecordBucket): Promise<void> {
    for (const [token, { summary }] of await this.#marks())
      if (summary.bucket === bucket) await this.#set(token, null);
  }

  async #marks(): Promise<ReadonlyMap<string, StoredMark>> {
    const marks = new Map<string, StoredMark>();
    const notes = await this.#store.notes?.('mark').catch(() => undefined); // the list must work without them
    for (const [token, text] of notes ?? []) marks.set(token, JSON.parse(text) as StoredMark); // our own writing
    return marks;
  }

  async #set(token: string, mark: RecordMark | null): Promise<void> {
    if (mark === null) {
      await this.#store.putNote?.('mark', token, null);
      return this.#store.putNote?.('copy', token, null);
    }
    const marks = await this.#marks();
    const known = marks.get(token);
    if (known === undefined && marks.size >= maxMarks)
      throw markErrors.create('PROFILER_MARKS_FULL', { most: maxMarks });
    const summary = known?.summary ?? (await this.#copy(token));
    await this.#store.putNote?.('mark', token, JSON.stringify({ ...mark, summary } satisfies StoredMark));
  }

  async #copy(token: string): Promise<ProfileSummary> {
    const found = await this.#reader.find(token);
    const bucket = found.kind === 'found' ? found.record.bucket : 'app';
    const [summary] = (await this.#reader.list({ token, bucket, limit: 1 })).rows;
    if (found.kind !== 'found' || summary === undefined)
      throw markErrors.create('PROFILER_MARK_OF_NOTHING', { token });
    const text = JSON.stringify(found.record);
    if (text.length > maxCopyLength)
      throw markErrors.create('PROFILER_MARK_TOO_LARGE', { length: text.length, most: maxCopyLength });
    await this.#store.putNote?.('copy', token, text);
    return summary;
  }

  async #filters(): Promise<readonly SavedFilter[]> {
    const notes = await this.#store.notes?.('filter');
    return [...(notes ?? [])].map(([name, query]) => ({ name, query }));
  }

  async #saveFilter(name: string, query: string | null): Promise<void> {
    const filters = await this.#filters();
    const isNew = query !== null && filters.every((filter) => filter.name !== name);
    if (isNew && filters.length >= maxFilters)
      throw markErrors.create('PROFILER_MARKS_FULL', { most: maxFilters });
    await this.#store.putNote?.('filter', name, query);
  }

  #markedRows(marks: ReadonlyMap<string, StoredMark>, query: ProfileQuery): readonly ProfileSummary[] {
    const wanted = prepareQuery({ query });
    const { sort = { column: 'startedAt', isAscending: false } } = query;
    return [...marks.values()]
      .map((mark) => withMark(mark.summary, mark))
      .filter((row) => row.bucket === (query.bucket ?? 'app') && meets(row, wanted))
      .map((row) => ({ row, key: row.sequence, value: Number(valuesOf(row, sort.column)[0] ?? 0) }))
      .sort((a, b) => compareRanks(sort, a, b))
      .map(({ row }) => row);
  }
}

function markOf(stored: StoredMark | undefined): RecordMark | undefined {
  return stored && { tags: stored.tags, note: stored.note };
}

function withMark(row: ProfileSummary, stored: StoredMark | undefined): ProfileSummary {
  const mark = markOf(stored);
  return mark === undefined ? row : { ...row, mark };
}

function splitWhere(where: readonly ProfileCondition[] = []): {
  own: ProfileCondition[];
  rest: ProfileCondition[];
} {
  const isOwn = ({ columns }: ProfileCondition): boolean =>
    columns.some((column) => column.startsWith('mark.'));
  return { own: where.filter(isOwn), rest: where.filter((condition) => !isOwn(condition)) };
}

/** Returns whether a record without a mark meets conditions on marks. If not, only marked records need to be examined. */
function meetsUnmarked(own: readonly Condition[]): boolean {
  return own.every(({ passes, isNegated }) => passes(null) !== isNegated);
}

function meets(row: ProfileSummary, conditions: readonly Condition[]): boolean {
  return conditions.every(
    ({ columns, passes, isNegated }) =>
      columns.some((column) => valuesOf(row, column).some(passes)) !== isNegated,
  );
}

/** Returns the values of a column: several for tags, otherwise one. */
function valuesOf(row: ProfileSummary, column: string): readonly (string | number | null)[] {
  const { mark } = row;
  if (column === 'mark.pin') return [mark === undefined ? null : 'pin'];
  if (column === 'mark.note') return [mark === undefined || mark.note === '' ? null : mark.note];
  if (column === 'mark.tag') return mark === undefined || mark.tags.length === 0 ? [null] : mark.tags;
  const fields: Readonly<Record<string, unknown>> = { ...row.collected, ...row };
  const value = Object.hasOwn(fields, column) ? fields[column] : null;
  return [typeof value === 'string' || typeof value === 'number' ? value : null];
}
