import { findData } from '#dump';
import type { ErrorReport, FlattenOptions, ReportedError } from '#errors';
import { flattenError, renderErrorTerminal } from '#errors';
import { type LogRecord, logLevels } from '#log';

const minRank = logLevels.indexOf('error');

/** Neither code, which belongs to no log, nor which error the client saw, which it may not have. */
function plain(error: ReportedError): ReportedError {
  const frames = error.frames.map((frame) => {
    const { excerpt, ...place } = frame;
    return excerpt === undefined ? frame : place;
  });
  return { ...error, frames, isOuter: false };
}

/**
 * What stands below a line of the log where no record keeps it: chain and stacks of the error that a record of level
 * error or above holds as its `error`, bounded and without secrets.
 */
export function createLogDetail(options: FlattenOptions): (record: LogRecord) => string | undefined {
  return ({ level, context }) => {
    if (logLevels.indexOf(level) < minRank || typeof context !== 'object' || context === null)
      return undefined;
    const error = findData(context, 'error');
    return error === undefined ? undefined : renderErrorTerminal(logReport(error, options));
  };
}

/** What a log may say of an error: chain and stacks, bounded, without code and without secrets. */
export function logReport(error: unknown, options: FlattenOptions): ErrorReport {
  const report = flattenError(error, { ...options, excerpts: 0 });
  return { ...report, errors: report.errors.map(plain) };
}
