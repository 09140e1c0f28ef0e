import type { Picture } from '#dump';
import { PackedSection, sectionForm } from '../record/packed-section.js';
import { readValue, writeValue, type TakenValue } from '../record/picture-argument.js';
import { readPicture, writePicture } from '../record/picture-tape.js';
import { fromTicks, toTicks } from '../record/ticks.js';
import type { WordReader } from '../record/word-reader.js';
import type { WordWriter } from '../record/word-writer.js';
import { dbLimits } from './db-section.js';
import type { DbCallSite, DbChange, DbGroup, DbParam, DbQuery, DbSection, DbTotals } from './db-section.js';
import { groupQueries } from './group-queries.js';
import type { Statement } from './statements.js';

/** A query as it is kept until the record is written. */
export interface KeptQuery {
  readonly statement: Statement;
  readonly values: readonly TakenValue[];
  /** Of the monotonic clock, in milliseconds. */
  readonly start: number;
  readonly durationMs: number;
  readonly rows: number | null;
  readonly connection: string;
  readonly error: string | null;
  readonly callSite: readonly DbCallSite[];
}

interface KeptFacts extends Pick<DbSection, 'totals' | 'changes'> {
  readonly queries: readonly KeptQuery[];
}

/**
 * The `db` section on its way to the record. Texts that come again (statements, columns, files) are words; which queries
 * repeat themselves is found out when the record is read.
 */
export class PackedDbSection extends PackedSection {
  readonly #facts: KeptFacts;

  constructor(facts: KeptFacts) {
    super(sectionForm.db);
    this.#facts = facts;
  }

  override write(pack: WordWriter, start: number): void {
    const { totals, queries, changes } = this.#facts;
    writeTotals(pack, totals);
    pack.number(queries.length);
    for (const query of queries) writeQuery(pack, query, start);
    pack.number(changes.length);
    for (const { action, entity, id, values } of changes) {
      pack.word(action);
      pack.word(entity);
      pack.string(id);
      writePicture(pack, values);
    }
  }
}

/** Reads what a `PackedDbSection` wrote; `startedAt` of the request, in milliseconds since the epoch. */
export function readDbSection(pack: WordReader, startedAt: number): DbSection {
  const totals = readTotals(pack);
  const queries = readList(pack, () => readQuery(pack, startedAt));
  const changes = readList(pack, (): DbChange => ({
    action: pack.word() ?? '',
    entity: pack.word() ?? '',
    id: pack.string(),
    values: readPicture(pack),
  }));
  return { totals, groups: groupsOf(queries), queries, changes };
}

function groupsOf(queries: readonly DbQuery[]): DbGroup[] {
  const compared = queries.map(({ sql, params, durationMs, callSite }, place) => ({
    sql,
    durationMs,
    callSite,
    // Unlike all others where a value is not known whole.
    values: params.some(({ value }) => !isWhole(value)) ? `#${place}` : JSON.stringify(params),
  }));
  return groupQueries(compared).slice(0, dbLimits.groups);
}

/** Whether two values with this picture are the same value: not where it was cut or hidden. */
function isWhole({ type, text, length, entries }: Picture): boolean {
  return type !== 'redacted' && entries === undefined && (length === undefined || length === text?.length);
}

function writeTotals(pack: WordWriter, totals: DbTotals): void {
  pack.number(totals.queries);
  pack.number(totals.failed);
  pack.number(toTicks(totals.durationMs));
  pack.number(totals.flushes);
  pack.number(toTicks(totals.flushMs));
  pack.number(totals.commits);
  pack.number(totals.rollbacks);
  pack.number(totals.created);
  pack.number(totals.updated);
  pack.number(totals.removed);
}

function readTotals(pack: WordReader): DbTotals {
  return {
    queries: pack.number(),
    failed: pack.number(),
    durationMs: fromTicks(pack.number()),
    flushes: pack.number(),
    flushMs: fromTicks(pack.number()),
    commits: pack.number(),
    rollbacks: pack.number(),
    created: pack.number(),
    updated: pack.number(),
    removed: pack.number(),
  };
}

function writeQuery(pack: WordWriter, query: KeptQuery, start: number): void {
  const { statement, values, rows, error } = query;
  pack.word(statement.sql);
  pack.number(values.length);
  for (let place = 0; place < values.length; place++) {
    pack.word(statement.placeholders[place]?.column ?? null);
    writeValue(pack, values[place]);
  }
  writeOffset(pack, query.start - start);
  pack.number(toTicks(query.durationMs));
  pack.number(rows === null ? 0 : rows + 1);
  pack.word(query.connection);
  pack.number(error === null ? 0 : 1);
  if (error !== null) pack.string(error);
  pack.number(query.callSite.length);
  for (const site of query.callSite) writeSite(pack, site);
}

function readQuery(pack: WordReader, startedAt: number): DbQuery {
  return {
    sql: pack.word() ?? '',
    params: readList(pack, (): DbParam => ({ name: pack.word(), value: readValue(pack) })),
    startedAt: startedAt + readOffset(pack),
    durationMs: fromTicks(pack.number()),
    rows: countOrNull(pack.number()),
    connection: pack.word() ?? '',
    error: pack.number() === 0 ? null : pack.string(),
    callSite: readList(pack, () => readSite(pack)),
  };
}

function writeSite(pack: WordWriter, { name, file, line, column }: DbCallSite): void {
  pack.word(name);
  pack.word(file);
  pack.number(line);
  pack.number(column);
}

function readSite(pack: WordReader): DbCallSite {
  return { name: pack.word(), file: pack.word() ?? '', line: pack.number(), column: pack.number() };
}

/** A query that says that it took longer than the request was there has begun before it. */
function writeOffset(pack: WordWriter, milliseconds: number): void {
  const ticks = toTicks(milliseconds);
  pack.number(ticks < 0 ? -2 * ticks - 1 : 2 * ticks);
}

function readOffset(pack: WordReader): number {
  const number = pack.number();
  return fromTicks(number % 2 === 1 ? -(number + 1) / 2 : number / 2);
}

function countOrNull(number: number): number | null {
  return number === 0 ? null : number - 1;
}

function readList<Item>(pack: WordReader, read: () => Item): Item[] {
  const items: Item[] = [];
  for (let count = pack.number(); count > 0; count--) items.push(read());
  return items;
}
