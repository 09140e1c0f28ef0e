import type { Picture, Redactor } from '#dump';
import type { TakenValue } from '../pack/values.js';
import { pictureWeight } from '../watch/picture-weight.js';
import type { ChannelMessage } from './create-channel-collector.js';
import type { KeptChange, KeptDb, KeptQuery } from './db-part.js';
import { dbLimits, type DbTotals } from './db-section.js';
import {
  countOf,
  countOrNull,
  type MessageReader,
  messageOf,
  positiveNumber,
  messageText,
} from './message-reader.js';
import type { Placeholder, Statements } from './statements.js';

/** Bounds of one pictured value. */
export const valueLimits = {
  depth: 3,
  entries: 30,
  text: 500,
  nodes: 200,
  bytes: 8000,
  milliseconds: 2,
} as const;
/** What JSON needs around the values of a query, and around one of its parameters. */
const queryWeight = 130;
const paramWeight = 50;
const frameWeight = 60;
const redacted: TakenValue = { type: 'redacted' };

/** What was looked into before, for all requests. */
export interface KnownTexts {
  readonly statements: Statements;
  readonly reader: MessageReader;
  /** Pictures a value within `valueLimits`. */
  readonly picture: (value: unknown) => Picture;
}

/** What one request asked its databases, gathered as it happens: bounded, and without secrets from the start. */
export class DbFacts {
  readonly #redactor: Redactor;
  readonly #known: KnownTexts;
  readonly #queries: KeptQuery[] = [];
  readonly #changes: KeptChange[] = [];
  readonly #unflushed: KeptDb['unflushed'][number][] = [];
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

  constructor(known: KnownTexts) {
    this.#redactor = known.reader.redactor;
    this.#known = known;
  }

  /** A message that says nothing of a query is passed over, as below. `start` of the request, of `performance.now`. */
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
      return this.#leaveOut(offsetMs, durationMs);
    const { statements, reader } = this.#known;
    const statement = statements.take(sql);
    const connection = reader.word(message['connection'], 200);
    const frames = reader.callSite(message['callSite']);
    this.#queryWeight += queryWeight + statement.weight + connection.length;
    for (const { file, name } of frames) this.#queryWeight += frameWeight + file.length + (name?.length ?? 4);
    const query: KeptQuery = {
      sql: statement.sql,
      params: this.#takeParams(Array.isArray(params) ? params : [], statement.placeholders),
      offsetMs,
      durationMs,
      rows: countOrNull(rows),
      connection,
      error: error === undefined ? null : this.#takeReason(messageOf(error), sql),
      callSite: frames,
    };
    if (this.#queryWeight < dbLimits.queryBytes) this.#queries.push(query);
    else this.#leaveOut(offsetMs, durationMs);
  }

  #leaveOut(offsetMs: number, durationMs: number): void {
    const rest = (this.#rest ??= { count: 0, offsetMs, durationMs: 0, busyMs: 0 });
    rest.count++;
    rest.durationMs = Math.max(rest.durationMs, offsetMs + durationMs - rest.offsetMs);
    // Of those that ran beside one another no more than the time that passed.
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
    const picture = this.#known.picture(values);
    const clean = (value: unknown): string => this.#redactor.text(messageText(value, 200));
    this.#changeWeight += queryWeight + pictureWeight(picture);
    if (this.#changeWeight < dbLimits.changeBytes)
      this.#changes.push({ action: clean(action), entity: clean(entity), id: clean(id), values: picture });
  }

  addUnflushed({ action, entity, id, fields }: ChannelMessage): void {
    if (typeof entity !== 'string' || this.#unflushed.length >= 20) return;
    const { reader } = this.#known;
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

  /** What there is by now; undefined where nothing could be read of what came. */
  kept(): KeptDb | undefined {
    const { queries, flushes, commits, rollbacks } = this.#totals;
    if (queries + flushes + commits + rollbacks + this.#changes.length + this.#unflushed.length === 0)
      return undefined;
    const [rest, changes] = [this.#rest ?? null, this.#changes];
    return { totals: this.#totals, queries: this.#queries, rest, changes, unflushed: this.#unflushed };
  }

  #takeParams(params: readonly unknown[], placeholders: readonly Placeholder[]): KeptQuery['params'] {
    return params.slice(0, dbLimits.params).map((param, place) => {
      const { column = null, isSecret = false } = placeholders[place] ?? {};
      const value = isSecret ? redacted : this.#takeValue(param);
      this.#queryWeight += paramWeight + (column?.length ?? 4) + weigh(value);
      return { name: column, value };
    });
  }

  /** A simple value as it is, since it cannot change; the picture of any other. */
  #takeValue(value: unknown): TakenValue {
    if (typeof value === 'string' && value.length <= valueLimits.text) return this.#redactor.text(value);
    if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined)
      return value;
    return this.#known.picture(value);
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

/** Drivers put the statement with all its values in front of the reason; the values are shown elsewhere, redacted. */
function reasonOf(error: string, sql: string): string {
  const head = sql.slice(0, 12).toLowerCase();
  const reason = error.toLowerCase().startsWith(head) ? error.slice(error.lastIndexOf(' - ') + 1) : error;
  return reason.replace(/^- /, '').slice(0, 1000);
}
