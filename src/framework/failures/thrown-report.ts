import { type ErrorReport, type FlattenOptions, flattenError } from '#errors';
import { type HttpRequest, isClientGone } from '#http';
import { type KernelListener, exceptionEvent, kernelListener, kernelPriority } from '#kernel';
import { requestRecording } from '#profiler';
import { type ScopeKey, createScopeKey } from '#scope';

interface ThrownReport {
  readonly error: unknown;
  readonly report: ErrorReport;
}

/** The report of what a request threw, made once: the error page and the record show the same. */
const thrownReport: ScopeKey<ThrownReport> = createScopeKey<ThrownReport>('thrown report');

/** Reports what was thrown to the recording, while stack and sources are as they were. Does nothing where none is open. */
export function createReportListener(options: FlattenOptions): KernelListener {
  return kernelListener(
    exceptionEvent,
    ({ error, request }) => {
      if (isClientGone(error, request)) return; // its record says that it was aborted
      request.scope.get(requestRecording)?.error(error, reportOf(request, error, options));
    },
    { name: 'error report', priority: kernelPriority.exception.recording },
  );
}

/** The report of this very error; another one is made where a listener has put another error in its place. */
export function reportOf(request: HttpRequest, error: unknown, options: FlattenOptions): ErrorReport {
  const made = request.scope.get(thrownReport);
  if (made !== undefined && Object.is(made.error, error)) return made.report;
  const report = flattenError(error, options);
  request.scope.set(thrownReport, { error, report });
  return report;
}

/** The report of what the request threw, where one was made. */
export function thrownOf(request: HttpRequest): ErrorReport | undefined {
  return request.scope.get(thrownReport)?.report;
}
