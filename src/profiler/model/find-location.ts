import type { CodePosition, ErrorReport, ReportedChain, ReportedError } from '#core/errors';

/** Where an error originated, as `file:line`; null if unknown, or if lookback threw it for what fits nothing (a 404). */
export function findErrorLocation(report: ErrorReport): string | null {
  const { origin } = report;
  if (origin === undefined) return null;
  const frame = findError(report, origin.error)?.frames.find(({ index }) => index === origin.frame);
  if (frame === undefined || frame.file === '') return null;
  const isRefusal = report.status < 500 && frame.library === 'lookback';
  return isRefusal ? null : `${frame.file}:${frame.line}`;
}

function findError(chain: ReportedChain, label: string): ReportedError | undefined {
  for (const error of chain.errors) {
    if (error.label === label) return error;
    for (const child of error.children ?? []) {
      const found = findError(child, label);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Returns the report of a failure after the response: none of its errors is the one that the client saw. */
export function withoutOuterError(report: ErrorReport): ErrorReport {
  return { ...report, errors: report.errors.map((error) => ({ ...error, isOuter: false })) };
}

/** A frame of the application's code in a call stack. */
export interface RecordedCallSite extends CodePosition {
  readonly name: string | null;
}

/** What is read of the section of the `db` collector; another collector may have its name. */
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

/** A query that takes at least this many milliseconds counts as slow. */
export const slowQueryMs = 100;

/** Where the longest loop of queries ran, or else the slowest slow query, in compiled code; undefined if not known. */
export function findQueryLocation(section: unknown): CodePosition | undefined {
  const { groups = [], queries = [] } = (section ?? {}) as Queries; // see above: what is found is checked
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
