import { type ErrorReport, type FlattenOptions, flattenError } from '#errors';
import { type HttpRequest, isClientGone } from '#http';
import { type KernelListener, exceptionEvent, kernelListener, kernelPriority } from '#kernel';
import { requestRecording } from '#profiler';
import { type ScopeKey, createScopeKey } from '#scope';

interface ThrownReport {
  readonly error: unknown;
  readonly report: ErrorReport;
}

/** Cached report of the error of a request, so that the error page and the record show the same. */
const thrownReport: ScopeKey<ThrownReport> = createScopeKey<ThrownReport>('thrown report');

/**
 * Creates the listener that adds errors to the recording of the request. It runs early, before stack and sources can
 * change.
 */
export function createReportListener(options: FlattenOptions): KernelListener {
  return kernelListener(
    exceptionEvent,
    ({ error, request }) => {
      if (isClientGone(error, request)) return; // the record already shows that the request was aborted
      request.scope.get(requestRecording)?.error(error, reportOf(request, error, options));
    },
    { name: 'error report', priority: kernelPriority.exception.recording },
  );
}

/** Returns the report of an error; creates a new one if a listener has replaced the error. */
export function reportOf(request: HttpRequest, error: unknown, options: FlattenOptions): ErrorReport {
  const made = request.scope.get(thrownReport);
  if (made !== undefined && Object.is(made.error, error)) return made.report;
  const report = flattenError(error, options);
  request.scope.set(thrownReport, { error, report });
  return report;
}

/** Returns the report of the error of a request, if one was created. */
export function thrownOf(request: HttpRequest): ErrorReport | undefined {
  return request.scope.get(thrownReport)?.report;
}
