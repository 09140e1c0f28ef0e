import type { ErrorReport, SourceLoader } from '#errors';
import { createSourceLoader, flattenError } from '#errors';
import type { Redactor } from '#dump';
import type { HttpRequest } from '#http';
import { exceptionEvent, kernelListener, kernelPriority } from '#kernel';
import type { KernelListener } from '#kernel';
import type { ScopeKey } from '#scope';
import { createScopeKey } from '#scope';

/** The report of what a request threw, made once: the error page and the record show the same. */
export const thrownReport: ScopeKey<ErrorReport> = createScopeKey<ErrorReport>('thrown report');

/** Reports on errors when they are thrown, while sources and stack are as they were. Placed in debug only. */
export function createReportListener(options: { redactor: Redactor }): KernelListener {
  const sources: SourceLoader = createSourceLoader();
  return kernelListener(
    exceptionEvent,
    ({ error, request }) => {
      request.scope.set(thrownReport, flattenError(error, { ...options, sources }));
    },
    { name: 'error report', priority: kernelPriority.exception.recording },
  );
}

/** The report of this very error; a listener may have put another one in its place since the first was made. */
export function reportOf(request: HttpRequest, error: unknown, options: { redactor: Redactor }): ErrorReport {
  const made = request.scope.get(thrownReport);
  return made ?? flattenError(error, options);
}
