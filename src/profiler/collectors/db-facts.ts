import { dump } from '#dump';
import type { Picture, Redactor } from '#dump';
import { groupQueries } from './group-queries.js';
import { dbLimits } from './db-section.js';
import type { DbCallSite, DbChange, DbParam, DbQuery, DbSection, DbTotals } from './db-section.js';
import { namePlaceholders } from './name-placeholders.js';
import type { ChangeFact, FlushFact, QueryFact, TransactionFact } from './db-messages.js';

/** Bounds of one pictured value. */
const valueLimits = { depth: 3, entries: 30, text: 500, nodes: 200, bytes: 8000, milliseconds: 2 } as const;

/** What one request asked its databases, gathered as it happens: bounded, and without secrets from the start. */
export class DbFacts {
  readonly #redactor: Redactor;
  readonly #queries: DbQuery[] = [];
  readonly #changes: DbChange[] = [];
  #queryBytes = 0;
  #changeBytes = 0;
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

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  addQuery(fact: QueryFact): void {
    this.#totals.queries++;
    this.#totals.durationMs += fact.durationMs;
    if (fact.error !== undefined) this.#totals.failed++;
    if (this.#queries.length >= dbLimits.queries || this.#queryBytes >= dbLimits.queryBytes) return;
    const query: DbQuery = {
      sql: this.#redactor.text(fact.sql.slice(0, dbLimits.text)),
      params: this.#params(fact),
      startedAt: performance.timeOrigin + performance.now() - fact.durationMs,
      durationMs: fact.durationMs,
      rows: fact.rows ?? null,
      connection: fact.connection,
      error: fact.error === undefined ? null : this.#redactor.text(reasonOf(fact.error, fact.sql)),
      callSite: fact.callSite.slice(0, dbLimits.frames).map(frameOf),
    };
    this.#queryBytes += JSON.stringify(query).length;
    if (this.#queryBytes < dbLimits.queryBytes) this.#queries.push(query);
  }

  addFlush({ durationMs, created, updated, removed }: FlushFact): void {
    this.#totals.flushes++;
    this.#totals.flushMs += durationMs;
    this.#totals.created += created;
    this.#totals.updated += updated;
    this.#totals.removed += removed;
  }

  addChange({ action, entity, id, values }: ChangeFact): void {
    if (this.#changes.length >= dbLimits.changes || this.#changeBytes >= dbLimits.changeBytes) return;
    const picture = dump(values, { ...valueLimits, redactor: this.#redactor });
    const change: DbChange = { action, entity, id: id.slice(0, 200), values: picture };
    this.#changeBytes += JSON.stringify(change).length;
    if (this.#changeBytes < dbLimits.changeBytes) this.#changes.push(change);
  }

  addTransaction({ kind }: TransactionFact): void {
    if (kind === 'commit') this.#totals.commits++;
    if (kind === 'rollback') this.#totals.rollbacks++;
  }

  /** The section as it stands. */
  section(): DbSection {
    const compared = this.#queries.map(({ sql, params, durationMs, callSite }, place) => ({
      sql,
      durationMs,
      callSite,
      values: params.some(({ value }) => !isWhole(value)) ? `#${place}` : JSON.stringify(params),
    }));
    return {
      totals: { ...this.#totals },
      groups: groupQueries(compared).slice(0, dbLimits.groups),
      queries: [...this.#queries],
      changes: [...this.#changes],
    };
  }

  #params({ sql, params }: QueryFact): DbParam[] {
    const names = namePlaceholders(sql.slice(0, dbLimits.text));
    return params.slice(0, dbLimits.params).map((param, place) => {
      const name = names[place] ?? null;
      const isSecret = name !== null && this.#redactor.isSecretName(name);
      const value: Picture = isSecret
        ? { type: 'redacted' }
        : dump(param, { ...valueLimits, redactor: this.#redactor });
      return { name, value };
    });
  }
}

/** Whether two values with this picture are the same value: not where it was cut or hidden. */
function isWhole({ type, text, length, entries }: Picture): boolean {
  return type !== 'redacted' && entries === undefined && (length === undefined || length === text?.length);
}

function frameOf({ name, file, line, column }: QueryFact['callSite'][number]): DbCallSite {
  return { name: name ?? null, file: file.slice(0, 1000), line, column };
}

/** Drivers put the statement with all its values in front of the reason; the values are shown elsewhere, redacted. */
function reasonOf(error: string, sql: string): string {
  const head = sql.slice(0, 12).toLowerCase();
  const reason = error.toLowerCase().startsWith(head) ? error.slice(error.lastIndexOf(' - ') + 1) : error;
  return reason.replace(/^- /, '').slice(0, 1000);
}
