import type { CodePosition, ErrorReport } from '#core/errors';

/** Returns the report on a failure after the response, whose errors the client never saw. */
export function withoutOuterError(report: ErrorReport): ErrorReport {
  return { ...report, errors: report.errors.map((error) => ({ ...error, isOuter: false })) };
}

/** An application frame in a call stack. */
export interface RecordedCallSite extends CodePosition {
  readonly name: string | null;
}

/** The fields read from the `db` section; another collector may use the same name. */
interface Queries {
  readonly groups?: readonly ({
    readonly kind?: unknown;
    readonly count?: number;
    readonly callSite?: CodePosition | null;
  } | null)[];
  readonly queries?: readonly ({
    readonly durationMs?: number;
    readonly callSite?: readonly CodePosition[];
  } | null)[];
}

/** A slow query's minimum duration, in milliseconds. */
export const slowQueryMs = 100;

/** Returns where the longest query loop ran, or else the slowest slow query, in compiled code; undefined if unknown. */
export function findQueryLocation(section: unknown): CodePosition | undefined {
  const { groups = [], queries = [] } = (section ?? {}) as Queries; // see above: everything used is checked
  if (!Array.isArray(groups) || !Array.isArray(queries)) return undefined;
  const [loop] = groups
    .filter((group) => group?.kind === 'n+1')
    .toSorted((a, b) => (b?.count ?? 0) - (a?.count ?? 0));
  if (loop !== undefined) return checked(loop?.callSite);
  const [slowest] = queries
    .filter((query) => (query?.durationMs ?? 0) >= slowQueryMs)
    .toSorted((a, b) => (b?.durationMs ?? 0) - (a?.durationMs ?? 0));
  return checked(slowest?.callSite?.[0]);
}

function checked(location: CodePosition | null | undefined): CodePosition | undefined {
  return typeof location?.file === 'string' && location.line > 0 ? location : undefined;
}
