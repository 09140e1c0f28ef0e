import { findData } from '#dump';
import type { ErrorReport, FlattenOptions, ReportedError } from '#errors';
import { flattenError, renderErrorTerminal } from '#errors';
import { type LogRecord, logLevels } from '#log';

const minRank = logLevels.indexOf('error');

/** Removes source excerpts, which do not belong in a log, and the mark of the error that the client has received. */
function plain(error: ReportedError): ReportedError {
  const frames = error.frames.map((frame) => {
    const { excerpt, ...place } = frame;
    return excerpt === undefined ? frame : place;
  });
  return { ...error, frames, isOuter: false };
}

/**
 * Creates the function that renders the details below a log line: cause chain and stacks of the `error` in the context of a
 * log record of level error or above, bounded and without secrets.
 */
export function createLogDetail(options: FlattenOptions): (record: LogRecord) => string | undefined {
  return ({ level, context }) => {
    if (logLevels.indexOf(level) < minRank || typeof context !== 'object' || context === null)
      return undefined;
    const error = findData(context, 'error');
    return error === undefined ? undefined : renderErrorTerminal(logReport(error, options));
  };
}

/** Creates the report of an error for logs: cause chain and stacks, bounded, without source excerpts and secrets. */
export function logReport(error: unknown, options: FlattenOptions): ErrorReport {
  const report = flattenError(error, { ...options, excerpts: 0 });
  return { ...report, errors: report.errors.map(plain) };
}
