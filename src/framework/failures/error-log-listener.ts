import type { Redactor } from '#dump';
import type { HttpRequest } from '#http';
import { describeThrown, isHttpError } from '#errors';
import { exceptionEvent, kernelListener, kernelPriority } from '#kernel';
import type { KernelListener } from '#kernel';
import type { Logger } from '#log';
import { withoutPathSecrets } from './read-origin.js';

/**
 * Logs what was thrown and not answered by a listener before: client errors as `notice` (a miss is no incident),
 * anything else as `critical`.
 */
export function createErrorLogListener(log: Logger, redactor: Redactor): KernelListener {
  return kernelListener(
    exceptionEvent,
    ({ error, request }) => {
      const level = isHttpError(error) && error.status < 500 ? 'notice' : 'critical';
      if (log.takes(level))
        log.log(level, `Uncaught ${describeThrown(error)}`, contextOf(request, error, redactor));
    },
    { name: 'error log', priority: kernelPriority.exception.log },
  );
}

function contextOf(request: HttpRequest, error: unknown, redactor: Redactor): object {
  return { method: request.method, path: withoutPathSecrets(request.rawPath, request, redactor), error };
}
