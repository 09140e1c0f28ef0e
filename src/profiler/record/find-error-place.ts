import type { ErrorReport, ReportedChain, ReportedError } from '#errors';

/**
 * Returns the place where an error originated, as `file:line`; null if it is not known, or if lookback itself has thrown the
 * error for a request that fits nothing, such as a path without a route.
 */
export function findErrorPlace(report: ErrorReport): string | null {
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
