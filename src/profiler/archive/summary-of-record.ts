import { importedPart } from '../form/imported-part.js';
import { sectionNumbers } from '../form/sections.js';
import type { ColumnValue, SummaryInput, ProcessOrigin } from '../form/summary-columns.js';
import { breakdownOf } from '../form/time-breakdown.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { SectionPart } from '../model/section-part.js';
import { findErrorPlace } from '../watch/find-error-place.js';

type Parts = readonly (readonly [name: string, part: SectionPart])[];

/** Reconstructs the summary that the recorder wrote, as far as it follows from the record. */
export function summaryOf(record: ProfileRecord, parts: Parts): SummaryInput {
  const { request, response, exception, logTotals, sections, route, parent } = record;
  const { sequence, startedAt, durationMs, state, config } = record;
  const breakdown = breakdownOf(record);
  const { trace } = (sections['trace'] ?? {}) as { trace?: { traceId?: string } | null }; // the section of the trace collector
  const outer = exception?.errors.at(-1);
  const linesOf = (levels: readonly string[]): number =>
    levels.reduce((sum, level) => sum + (logTotals.byLevel[level] ?? 0), 0);
  const failures = ['error', 'critical', 'alert', 'emergency'];
  const summary: Record<string, ColumnValue> & SummaryInput = {
    sequence,
    startedAt,
    durationMs,
    appMs: breakdown.app,
    databaseMs: breakdown.database,
    httpMs: breakdown.http,
    renderingMs: breakdown.rendering,
    state,
    method: request.method,
    origin: request.url.slice(0, request.url.length - request.target.length),
    target: request.target,
    status: response?.status ?? 0,
    clientAddress: request.clientAddress,
    route: route?.name ?? null,
    user: request.user,
    parent: parent ?? null,
    trace: trace?.traceId ?? null,
    visitor: request.visitor ?? null,
    exception: outer?.message ?? null,
    errorClass: outer?.class ?? null,
    errorPlace: exception === null ? null : findErrorPlace(exception),
    logs: logTotals.total,
    warnings: linesOf(['warning', ...failures]),
    errors: linesOf(failures),
  };
  const kept = new Map(Object.entries(sections));
  if (config['importedFrom'] !== undefined) kept.set(importedPart[0], true);
  for (const [section, part] of parts)
    for (const { column, of } of kept.has(section) ? sectionNumbers(section, part, ignore) : [])
      summary[column] = of(kept.get(section));
  return summary;
}

/** Ignores sections whose shape does not match their collector; their numbers are 0. */
function ignore(): void {}

/** Returns the process that made a record. */
export function originOf({ config }: ProfileRecord): ProcessOrigin {
  return { instance: String(config['instance'] ?? ''), version: String(config['version'] ?? '') };
}
