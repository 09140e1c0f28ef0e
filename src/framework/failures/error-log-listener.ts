import type { Redactor } from '#dump';
import { describeThrown, isHttpError } from '#errors';
import { isClientGone } from '#http';
import { exceptionEvent, kernelListener, kernelPriority, type KernelListener } from '#kernel';
import type { Logger } from '#log';
import { withoutPathSecrets } from './read-origin.js';

const maxPathLength = 200;

/**
 * Creates the listener that logs errors that no earlier listener has answered, with method, path and status: client errors
 * such as unmatched requests as `notice`, anything else as `critical`.
 */
export function createErrorLogListener(log: Logger, redactor: Redactor): KernelListener {
  return kernelListener(
    exceptionEvent,
    ({ error, request }) => {
      if (isClientGone(error, request)) return; // the client has disconnected
      const status = isHttpError(error) ? error.status : 500;
      const level = status < 500 ? 'notice' : 'critical';
      if (!log.takes(level)) return;
      const { method } = request;
      const path = withoutPathSecrets(request.rawPath, request, redactor);
      const place = `${method} ${path.slice(0, maxPathLength)} ${status}`;
      log.log(level, `Uncaught ${describeThrown(error)} (${place})`, { method, path, status, error });
    },
    { name: 'error log', priority: kernelPriority.exception.log },
  );
}
