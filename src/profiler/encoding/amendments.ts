import type { ErrorReport } from '#core/errors';
import type { ProfileRecord, RecordedLog, StoredFinding } from '../model/profile-record.js';
import { findRecordedError } from '../model/recorded-error.js';
import {
  type ProfileSummary,
  failureLevels,
  isNodeWarning,
  nodeWarningsOf,
} from '../model/profile-summary.js';
import type { BrowserSection } from '../sections/browser/section.js';
import type { RecordedCallSite } from '../model/find-location.js';

/** A query that ended, or a call that began, after its request's record was closed. */
export interface LateWork {
  readonly kind: 'query' | 'call';
  /** The statement, or method and URL. */
  readonly text: string;
  /** Since the beginning of the request. */
  readonly startMs: number;
  /** Innermost first. */
  readonly callSite: readonly RecordedCallSite[];
}

/** Late work as described by its collector, without secrets. Its start is on the `performance.now` clock. */
export type LateFacts = Omit<LateWork, 'startMs'> & { readonly startedAt: number };

/** A request's log lines, errors and work after its record was closed. */
export interface Amendments {
  readonly logs?: readonly RecordedLog[];
  readonly exception?: ErrorReport;
  readonly work?: readonly LateWork[];
  /** The browser's report about the page. */
  readonly browser?: BrowserSection;
}

/** Maximum late log lines, and maximum late queries and calls, per record. */
const maxLogs = 20;
export const maxLateWork = 5;

export interface StoredAmendments {
  readonly logs: readonly RecordedLog[];
  readonly work?: readonly LateWork[];
  readonly browser?: BrowserSection;
  /** Number of lines, including those not kept. */
  readonly logged: number;
  readonly exception?: ErrorReport;
  /** The record's findings including these amendments. */
  readonly findings?: readonly StoredFinding[];
}

/** Adds amendments to those already stored. The first error and the first browser report are kept. */
export function joinAmendments(
  known: StoredAmendments | undefined,
  { logs = [], exception, work = [], browser }: Amendments,
): StoredAmendments {
  const kept = known?.exception ?? exception;
  const seen = known?.browser ?? browser;
  const allWork = [...(known?.work ?? []), ...work].slice(0, maxLateWork);
  return {
    logs: [...(known?.logs ?? []), ...logs].slice(0, maxLogs),
    logged: (known?.logged ?? 0) + logs.length,
    ...(kept === undefined ? {} : { exception: kept }),
    ...(allWork.length === 0 ? {} : { work: allWork }),
    ...(seen === undefined ? {} : { browser: seen }),
  };
}

/**
 * Returns the column values that amendments add to a record: counts, and the error unless the record already has one.
 */
export function lateColumns(
  { logs = [], exception }: Amendments,
  { errorClass: known, route }: { readonly errorClass: unknown; readonly route: string | null },
): Pick<ProfileSummary, 'logs' | 'warnings' | 'errors' | 'nodeWarnings'> &
  Partial<Pick<ProfileSummary, 'errorClass' | 'exception' | 'errorLocation' | 'fingerprint'>> {
  const errors = logs.filter(({ level }) => failureLevels.includes(level)).length;
  const nodeWarnings = logs.filter(isNodeWarning).length;
  const warnings = errors + logs.filter(({ level }) => level === 'warning').length - nodeWarnings;
  const counts = { logs: logs.length, warnings, errors, nodeWarnings };
  const error =
    known === null && exception !== undefined
      ? findRecordedError({ exception, route: { name: route } })
      : undefined;
  if (error === undefined) return counts;
  return {
    ...counts,
    errorClass: error.class,
    exception: error.message,
    errorLocation: error.location,
    fingerprint: error.fingerprint,
  };
}

export function addAmendments(
  record: ProfileRecord,
  { logs, logged, exception, work, browser, findings }: StoredAmendments,
): ProfileRecord {
  const byLevel: Record<string, number> = { ...record.logTotals.byLevel };
  for (const { level } of logs) byLevel[level] = (byLevel[level] ?? 0) + 1;
  const cut = { what: 'late logs', kept: logs.length, total: logged, limit: maxLogs };
  return {
    ...record,
    sections: {
      ...record.sections,
      ...(work === undefined ? {} : { late: { work } }),
      ...(browser === undefined ? {} : { browser }),
    },
    logs: [...record.logs, ...logs],
    logTotals: {
      ...record.logTotals,
      total: record.logTotals.total + logged,
      byLevel,
      ...nodeWarningsOf((record.logTotals.nodeWarnings ?? 0) + logs.filter(isNodeWarning).length),
    },
    exception: record.exception ?? exception ?? null,
    ...(findings === undefined ? {} : { findings }),
    limits: logged > logs.length ? [...record.limits, cut] : record.limits,
  };
}
