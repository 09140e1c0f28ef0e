import { createDump, createRedactor, type Snapshot, type Redactor } from '#core/dump';
import { type CapturedValue, toSnapshot } from '../../encoding/encoded-record.js';
import { numberValue, snapshotWeight } from '../../recording/take-value.js';
import { createChannelCollector } from '../collect-messages.js';
import type { CollectedSection } from '../section.js';
import type { LateFacts } from '../../encoding/amendments.js';
import { cleanTexts } from '../define-section.js';
import { OmittedTally } from './omitted.js';
import { dbDefinition } from './section.js';
import { type DbInput, dbLimits, type QueryInput } from './queries.js';
import {
  callSiteOf,
  type ChannelMessage,
  countOf,
  countOrNull,
  messageOf,
  messagesOf,
  messageText,
  positiveNumber,
} from '../message-reader.js';
import { readStatement } from './statements.js';

const valueLimits = { depth: 3, entries: 30, text: 500, bytes: 8000, milliseconds: 2 };
/** Estimated JSON syntax and key characters per query, per parameter, and per call-site frame. */
const weights = { query: 130, param: 50, frame: 60 };
const maxUnflushed = 20;
const queryChannel = 'lookback:persistence:query';
const startChannel = 'lookback:persistence:query-start';

/**
 * Creates the `db` collector for database queries, subscribed for the whole process until `close`. `redactor` applies
 * to snapshots of object values; the writer redacts all others.
 */
export function createDbCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): CollectedSection {
  const snapshot = createDump({ ...valueLimits, redactor });
  return createChannelCollector<DbFacts>({
    definition: dbDefinition,
    begin: () => new DbFacts(snapshot),
    channels: {
      [startChannel]: (facts, message) => facts.beginQuery(message),
      [queryChannel]: (facts, message, { startedAt }) => facts.addQuery(message, startedAt),
      'lookback:persistence:wait': (facts, message) => facts.addWait(message),
      'lookback:persistence:flush': (facts, message) => facts.addFlush(message),
      'lookback:persistence:change': (facts, message) => facts.addChange(message),
      'lookback:persistence:unflushed': (facts, message) => facts.addUnflushed(message),
      'lookback:persistence:transaction': (facts, message) => facts.addTransaction(message),
    },
    late: describeLateQuery,
    section: (facts, { startedAt }) => facts?.toInput(startedAt),
  });
}

/** Describes a query that began after the record was closed. A query open at that time is already in the record. */
function describeLateQuery(
  { sql, durationMs, startedAt, callSite }: ChannelMessage,
  redactor: Redactor,
  channel: string,
): LateFacts | undefined {
  const hasBegun = typeof startedAt === 'number'; // published again when it ends
  if (typeof sql !== 'string' || channel !== (hasBegun ? startChannel : queryChannel)) return undefined;
  return {
    kind: 'query',
    text: readStatement(sql.slice(0, dbLimits.text), redactor).sql,
    startedAt: hasBegun ? startedAt : performance.now() - positiveNumber(durationMs),
    callSite: cleanTexts(callSiteOf(callSite), redactor),
  };
}

/** Collects one request's database activity, within limits. Malformed messages are ignored. */
export class DbFacts {
  readonly #snapshot: (value: unknown) => Snapshot;
  readonly #queries: QueryInput[] = [];
  /** Messages about queries in progress. */
  readonly #open = new Set<ChannelMessage>();
  readonly #changes: DbInput['changes'][number][] = [];
  readonly #unflushed: DbInput['unflushed'][number][] = [];
  readonly #waits: ChannelMessage[] = [];
  #waitCount = 0;
  #rest: DbInput['rest'] = null;
  #omitted: OmittedTally | undefined;
  #queryWeight = 0;
  #changeWeight = 0;
  readonly #own = { queries: 0, durationMs: 0 };
  readonly #totals: { -readonly [Name in Exclude<keyof DbInput['totals'], 'own'>]: number } = {
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

  constructor(snapshot: (value: unknown) => Snapshot) {
    this.#snapshot = snapshot;
  }

  beginQuery(message: ChannelMessage): void {
    if (this.#open.size < dbLimits.queries) this.#open.add(message);
  }

  /** Adds a query. `start` is when the request began, on the `performance.now` clock. */
  addQuery(message: ChannelMessage, start: number): void {
    this.#open.delete(message);
    const { sql, error } = message;
    if (typeof sql !== 'string' || typeof message['durationMs'] !== 'number') return;
    const durationMs = positiveNumber(message['durationMs']);
    const totals = this.#totals;
    totals.queries++;
    totals.durationMs += durationMs;
    if (message['isOwn'] === true) {
      this.#own.queries++;
      this.#own.durationMs += durationMs;
    }
    if (error !== undefined) totals.failed++;
    const offsetMs = performance.now() - durationMs - start;
    if (this.#queries.length >= dbLimits.queries || this.#queryWeight >= dbLimits.queryBytes)
      return this.#omit(message, offsetMs, durationMs);
    const query = this.#takeQuery(message, { sql, offsetMs, durationMs });
    this.#queryWeight += weightOf(query);
    if (this.#queryWeight < dbLimits.queryBytes) this.#queries.push(query);
    else this.#omit(message, offsetMs, durationMs);
  }

  #omit(message: ChannelMessage, offsetMs: number, durationMs: number): void {
    this.#countOmitted(offsetMs, durationMs);
    if (message['isOwn'] === true) return;
    const callSite = callSiteOf(message['callSite']).slice(0, 1);
    const sql = messageText(message['sql'], dbLimits.text);
    const connection = messageText(message['connection'], 200);
    (this.#omitted ??= new OmittedTally()).add(
      { sql, connection, callSite, durationMs },
      { endMs: offsetMs + durationMs, params: message['params'] },
    );
  }

  #takeQuery(
    { params, rows, connection, error, callSite, isRemembered, isOwn }: ChannelMessage,
    { sql, offsetMs, durationMs }: Pick<QueryInput, 'sql' | 'offsetMs' | 'durationMs'>,
  ): QueryInput {
    return {
      sql: sql.slice(0, dbLimits.text),
      params: this.#takeParams(params),
      offsetMs,
      durationMs,
      rows: countOrNull(rows),
      connection: messageText(connection, 200),
      error: error === undefined ? null : reasonOf(messageOf(error), sql),
      callSite: callSiteOf(callSite),
      ...(isRemembered === true ? { isRemembered: true as const } : undefined),
      ...(isOwn === true ? { isOwn: true as const } : undefined),
    };
  }

  /** Returns the queries in progress with their durations so far, within the shared limits. */
  #openQueries(start: number): readonly QueryInput[] {
    const found: QueryInput[] = [];
    const now = performance.now();
    let weight = this.#queryWeight;
    for (const message of this.#open) {
      const { sql } = message;
      const startedAt = positiveNumber(message['startedAt']);
      if (typeof sql !== 'string' || this.#queries.length + found.length >= dbLimits.queries) continue;
      const times = { offsetMs: startedAt - start, durationMs: Math.max(0, now - startedAt) };
      const query = { ...this.#takeQuery(message, { sql, ...times }), isOpen: true as const };
      weight += weightOf(query);
      if (weight < dbLimits.queryBytes) found.push(query);
    }
    return found;
  }

  #countOmitted(offsetMs: number, durationMs: number): void {
    const rest = this.#rest ?? { count: 0, offsetMs, durationMs: 0, busyMs: 0 };
    const wholeMs = Math.max(rest.durationMs, offsetMs + durationMs - rest.offsetMs);
    // Queries may run concurrently, so their sum is capped at the elapsed time.
    const busyMs = Math.min(rest.busyMs + durationMs, wholeMs);
    this.#rest = { count: rest.count + 1, offsetMs: rest.offsetMs, durationMs: wholeMs, busyMs };
  }

  /** Adds a wait for a connection, which the publisher completes later. */
  addWait(message: ChannelMessage): void {
    if (typeof message['max'] !== 'number') return;
    this.#waitCount++;
    if (this.#waits.length < dbLimits.waits) this.#waits.push(message);
  }

  #waitsSince(start: number): DbInput['waits'] {
    const now = performance.now();
    return {
      count: this.#waitCount,
      list: this.#waits.map((message) => {
        const { durationMs, pool, inUse, max, waiting, holders, callSite } = message;
        const startedAt = positiveNumber(message['startedAt']);
        const hasEnded = typeof durationMs === 'number';
        return {
          offsetMs: startedAt - start,
          durationMs: hasEnded ? positiveNumber(durationMs) : Math.max(0, now - startedAt),
          pool: messageText(pool, 100),
          inUse: countOf(inUse),
          max: countOf(max),
          waiting: countOf(waiting),
          holders: messagesOf(holders).map(({ token, heldMs }) => ({
            token: messageText(token, 40),
            heldMs: positiveNumber(heldMs),
          })),
          callSite: callSiteOf(callSite),
          ...(hasEnded ? undefined : { isOpen: true as const }),
        };
      }),
    };
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
    const snapshot = this.#snapshot(values);
    this.#changeWeight += weights.query + snapshotWeight(snapshot);
    if (this.#changeWeight < dbLimits.changeBytes)
      this.#changes.push({ ...entityOf({ action, entity, id }), values: snapshot });
  }

  addUnflushed({ action, entity, id, fields }: ChannelMessage): void {
    if (typeof entity !== 'string' || this.#unflushed.length >= maxUnflushed) return;
    const names = (Array.isArray(fields) ? fields : []).slice(0, 20).map((name) => messageText(name, 100));
    this.#unflushed.push({ ...entityOf({ action, entity, id }), fields: names });
  }

  addTransaction({ kind }: ChannelMessage): void {
    if (kind === 'commit') this.#totals.commits++;
    if (kind === 'rollback') this.#totals.rollbacks++;
  }

  /** Returns the section data; undefined if there is none. `start` is as for `addQuery`. */
  toInput(start: number): DbInput | undefined {
    const open = this.#openQueries(start);
    const totals = {
      ...this.#totals,
      queries: this.#totals.queries + this.#open.size,
      durationMs: open.reduce((sum, { durationMs }) => sum + durationMs, this.#totals.durationMs),
      ...(this.#own.queries === 0 ? {} : { own: { ...this.#own } }),
    };
    const queries = [...this.#queries, ...open];
    const [rest, changes, unflushed] = [this.#rest, this.#changes, this.#unflushed];
    const { flushes, commits, rollbacks } = totals;
    const waits = this.#waitCount > 0 ? this.#waitsSince(start) : undefined;
    const count =
      totals.queries + flushes + commits + rollbacks + changes.length + unflushed.length + this.#waitCount;
    const omitted = this.#omitted?.toList();
    if (count === 0) return undefined;
    return {
      totals,
      queries,
      rest,
      changes,
      unflushed,
      ...(omitted === undefined ? {} : { omitted }),
      ...(waits === undefined ? {} : { waits }),
    };
  }

  #takeParams(params: unknown): QueryInput['params'] {
    const given: readonly unknown[] = Array.isArray(params) ? params.slice(0, dbLimits.params) : [];
    return given.map((param) => ({ value: this.#takeValue(param) }));
  }

  /** Captures a value: primitives as they are, others as snapshots. */
  #takeValue(value: unknown): CapturedValue {
    if (typeof value === 'string' && value.length <= valueLimits.text) return value;
    if (typeof value === 'number') return numberValue(value);
    if (typeof value === 'boolean' || value === null || value === undefined) return value;
    return this.#snapshot(value);
  }
}

function entityOf({ action, entity, id }: ChannelMessage): Record<'action' | 'entity' | 'id', string> {
  return { action: messageText(action, 200), entity: messageText(entity, 200), id: messageText(id, 200) };
}

/** Estimates a query's JSON length, in characters. */
function weightOf({ sql, params, connection, error, callSite }: QueryInput): number {
  let weight = weights.query + sql.length + connection.length + (error?.length ?? 0);
  for (const { value } of params) weight += weights.param + snapshotWeight(toSnapshot(value));
  for (const { file, name } of callSite) weight += weights.frame + file.length + (name?.length ?? 4);
  return weight;
}

/**
 * Removes the statement with values that some drivers prepend to the error; the values are recorded separately,
 * redacted.
 */
function reasonOf(error: string, sql: string): string {
  const head = sql.slice(0, 12).toLowerCase();
  const reason = error.toLowerCase().startsWith(head) ? error.slice(error.lastIndexOf(' - ') + 1) : error;
  return reason.replace(/^- /, '').slice(0, 1000);
}
