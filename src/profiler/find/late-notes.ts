import type { ErrorReport } from '#errors';
import type { ProfileRecord, RecordedLog, RecordedLogTotals } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';

/** Maximum number of records with late notes. */
const maxRecords = 200;
/** Maximum number of late log lines of one record. */
const maxLogs = 20;

interface LateNote {
  readonly logs: RecordedLog[];
  logged: number;
  exception: ErrorReport | undefined;
}

/**
 * Errors and log lines of a request that arrived after its record was closed. A closed record is never rewritten, so they
 * are kept in memory (bounded) and added to the record when it is read.
 */
export class LateNotes {
  readonly #notes = new Map<string, LateNote>();

  log(token: string, entry: RecordedLog): void {
    const note = this.#noteOf(token);
    note.logged++;
    if (note.logs.length < maxLogs) note.logs.push(entry);
  }

  error(token: string, report: ErrorReport): void {
    this.#noteOf(token).exception ??= report;
  }

  /** Returns the tokens of the records with a late error. */
  thrown(): string[] {
    return [...this.#notes].filter(([, { exception }]) => exception !== undefined).map(([token]) => token);
  }

  addTo(record: ProfileRecord): ProfileRecord {
    const note = this.#notes.get(record.token);
    if (note === undefined) return record;
    const { logs, logged, exception } = note;
    const cut = { what: 'late logs', kept: logs.length, total: logged, limit: maxLogs };
    return {
      ...record,
      logs: [...record.logs, ...logs],
      logTotals: addCounts(record.logTotals, logs, logged),
      exception: record.exception ?? exception ?? null,
      limits: logged > logs.length ? [...record.limits, cut] : record.limits,
    };
  }

  addToRow(row: ProfileSummary): ProfileSummary {
    const note = this.#notes.get(row.token);
    if (note === undefined) return row;
    const { logged, exception } = note;
    return {
      ...row,
      logs: row.logs + logged,
      warnings: row.warnings + logged,
      errorClass: row.exception === null ? (exception?.class ?? row.errorClass) : row.errorClass,
      exception: row.exception ?? exception?.message ?? null,
    };
  }

  #noteOf(token: string): LateNote {
    const known = this.#notes.get(token);
    if (known !== undefined) return known;
    const [oldest] = this.#notes.keys();
    if (this.#notes.size >= maxRecords && oldest !== undefined) this.#notes.delete(oldest);
    const note: LateNote = { logs: [], logged: 0, exception: undefined };
    this.#notes.set(token, note);
    return note;
  }
}

function addCounts(
  totals: RecordedLogTotals,
  logs: readonly RecordedLog[],
  logged: number,
): RecordedLogTotals {
  const byLevel: Record<string, number> = { ...totals.byLevel };
  for (const { level } of logs) byLevel[level] = (byLevel[level] ?? 0) + 1;
  return { ...totals, total: totals.total + logged, byLevel };
}
