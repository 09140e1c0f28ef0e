import type { Picture, Redactor } from '#dump';
import type { TakenValue } from '../record/raw-record.js';
import { pictureWeight, numberValue } from '../tape/take-value.js';
import type { ChannelMessage } from './create-channel-collector.js';
import { type ChangeInput, type DbInput, dbLimits, type DbTotals, type QueryInput } from './db-section.js';
import {
  countOf,
  countOrNull,
  type MessageReader,
  messageOf,
  positiveNumber,
  messageText,
} from './message-reader.js';
import type { Placeholder, Statements } from './statements.js';

/** Limits of the picture of one value. */
export const valueLimits = {
  depth: 3,
  entries: 30,
  text: 500,
  bytes: 8000,
  milliseconds: 2,
} as const;
/** Characters of JSON syntax and keys per query. */
const queryWeight = 130;
/** Characters of JSON syntax and keys per parameter. */
const paramWeight = 50;
/** Characters of JSON syntax and keys per frame of the call site. */
const frameWeight = 60;
const redacted: TakenValue = { type: 'redacted' };

/** Caches and services shared by all requests. */
export interface DbServices {
  readonly statements: Statements;
  readonly reader: MessageReader;
  /** Takes a picture of a value within `valueLimits`. */
  readonly picture: (value: unknown) => Picture;
}

/** Collects the database activity of one request; bounded and without secrets from the start. */
export class DbFacts {
  readonly #redactor: Redactor;
  readonly #services: DbServices;
  readonly #queries: QueryInput[] = [];
  readonly #changes: ChangeInput[] = [];
  readonly #unflushed: DbInput['unflushed'][number][] = [];
  #rest: { count: number; readonly offsetMs: number; durationMs: number; busyMs: number } | undefined;
  #queryWeight = 0;
  #changeWeight = 0;
  readonly #totals: { -readonly [Name in keyof DbTotals]: DbTotals[Name] } = {
    queries: 0,
    failed: 0,
    durationMs: 0,
    flushes: 0,
    flushMs: 0,
    commits: 0,
    rollbacks: 0,
    created: 0,
    updated: 0,
    removed: 0,
  };

  constructor(services: DbServices) {
    this.#redactor = services.reader.redactor;
    this.#services = services;
  }

  /**
   * Adds a query; malformed messages are ignored, as in the methods below. `start` of the request, on the clock of
   * `performance.now`.
   */
  addQuery(message: ChannelMessage, start: number): void {
    const { sql, params, rows, error } = message;
    if (typeof sql !== 'string' || typeof message['durationMs'] !== 'number') return;
    const durationMs = positiveNumber(message['durationMs']);
    const totals = this.#totals;
    totals.queries++;
    totals.durationMs += durationMs;
    if (error !== undefined) totals.failed++;
    const offsetMs = performance.now() - durationMs - start;
    if (this.#queries.length >= dbLimits.queries || this.#queryWeight >= dbLimits.queryBytes)
      return this.#countOmitted(offsetMs, durationMs);
    const { statements, reader } = this.#services;
    const statement = statements.take(sql);
    const connection = reader.word(message['connection'], 200);
    const frames = reader.callSite(message['callSite']);
    this.#queryWeight += queryWeight + statement.weight + connection.length;
    for (const { file, name } of frames) this.#queryWeight += frameWeight + file.length + (name?.length ?? 4);
    const query: QueryInput = {
      sql: statement.sql,
      params: this.#takeParams(Array.isArray(params) ? params : [], statement.placeholders),
      offsetMs,
      durationMs,
      rows: countOrNull(rows),
      connection,
      error: error === undefined ? null : this.#takeReason(messageOf(error), sql),
      callSite: frames,
      ...(message['isRemembered'] === true ? { isRemembered: true as const } : undefined),
    };
    if (this.#queryWeight < dbLimits.queryBytes) this.#queries.push(query);
    else this.#countOmitted(offsetMs, durationMs);
  }

  #countOmitted(offsetMs: number, durationMs: number): void {
    const rest = (this.#rest ??= { count: 0, offsetMs, durationMs: 0, busyMs: 0 });
    rest.count++;
    rest.durationMs = Math.max(rest.durationMs, offsetMs + durationMs - rest.offsetMs);
    // Queries may have run concurrently; their sum must not exceed the elapsed time.
    rest.busyMs = Math.min(rest.busyMs + durationMs, rest.durationMs);
  }

  addFlush({ durationMs, created, updated, removed }: ChannelMessage): void {
    if (typeof durationMs !== 'number') return;
    this.#totals.flushes++;
    this.#totals.flushMs += positiveNumber(durationMs);
    this.#totals.created += countOf(created);
    this.#totals.updated += countOf(updated);
    this.#totals.removed += countOf(removed);
  }

  addChange({ action, entity, id, values }: ChannelMessage): void {
    if (typeof action !== 'string' || typeof entity !== 'string') return;
    if (this.#changes.length >= dbLimits.changes || this.#changeWeight >= dbLimits.changeBytes) return;
    const picture = this.#services.picture(values);
    const clean = (value: unknown): string => this.#redactor.text(messageText(value, 200));
    this.#changeWeight += queryWeight + pictureWeight(picture);
    if (this.#changeWeight < dbLimits.changeBytes)
      this.#changes.push({ action: clean(action), entity: clean(entity), id: clean(id), values: picture });
  }

  addUnflushed({ action, entity, id, fields }: ChannelMessage): void {
    if (typeof entity !== 'string' || this.#unflushed.length >= 20) return;
    const { reader } = this.#services;
    const names = (Array.isArray(fields) ? fields : []).slice(0, 20).map((name) => reader.word(name, 100));
    const key = this.#redactor.text(messageText(id, 200));
    this.#unflushed.push({
      action: reader.word(action),
      entity: reader.word(entity),
      id: key,
      fields: names,
    });
  }

  addTransaction({ kind }: ChannelMessage): void {
    if (kind === 'commit') this.#totals.commits++;
    if (kind === 'rollback') this.#totals.rollbacks++;
  }

  /** Returns the data of the section; undefined if there is none. */
  toInput(): DbInput | undefined {
    const { queries, flushes, commits, rollbacks } = this.#totals;
    if (queries + flushes + commits + rollbacks + this.#changes.length + this.#unflushed.length === 0)
      return undefined;
    const [rest, changes] = [this.#rest ?? null, this.#changes];
    return { totals: this.#totals, queries: this.#queries, rest, changes, unflushed: this.#unflushed };
  }

  #takeParams(params: readonly unknown[], placeholders: readonly Placeholder[]): QueryInput['params'] {
    return params.slice(0, dbLimits.params).map((param, place) => {
      const { column = null, isSecret = false } = placeholders[place] ?? {};
      const value = isSecret ? redacted : this.#takeValue(param);
      this.#queryWeight += paramWeight + (column?.length ?? 4) + weigh(value);
      return { name: column, value };
    });
  }

  /** Captures a value: primitives as themselves, others as pictures. */
  #takeValue(value: unknown): TakenValue {
    if (typeof value === 'string' && value.length <= valueLimits.text) return this.#redactor.text(value);
    if (typeof value === 'number') return numberValue(value);
    if (typeof value === 'boolean' || value === null || value === undefined) return value;
    return this.#services.picture(value);
  }

  #takeReason(error: string, sql: string): string {
    const reason = this.#redactor.text(reasonOf(error, sql));
    this.#queryWeight += reason.length;
    return reason;
  }
}

function weigh(value: TakenValue): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? pictureWeight(value) : 24;
}

/** Removes the statement with its values that some drivers prepend to the reason; the values are recorded separately, redacted. */
function reasonOf(error: string, sql: string): string {
  const head = sql.slice(0, 12).toLowerCase();
  const reason = error.toLowerCase().startsWith(head) ? error.slice(error.lastIndexOf(' - ') + 1) : error;
  return reason.replace(/^- /, '').slice(0, 1000);
}
