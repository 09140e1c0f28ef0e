import type { HttpRequest } from '#http';
import { isHttpError } from '#errors';
import { exceptionEvent, kernelListener, kernelPriority } from '#kernel';
import type { KernelListener } from '#kernel';
import type { Logger } from '#log';
import { classNameOf, findData } from '#dump';

/**
 * Logs what was thrown and not answered by a listener before: client errors as `notice` (a miss is no incident),
 * anything else as `critical`.
 */
export function createErrorLogListener(log: Logger): KernelListener {
  return kernelListener(
    exceptionEvent,
    ({ error, request }) => {
      const level = isHttpError(error) && error.status < 500 ? 'notice' : 'critical';
      if (log.takes(level)) log.log(level, `Uncaught ${describe(error)}`, contextOf(request, error));
    },
    { name: 'error log', priority: kernelPriority.exception.log },
  );
}

function contextOf(request: HttpRequest, error: unknown): object {
  return { method: request.method, path: request.rawPath, error };
}

/** Class and message, read without running anything of the thrown value. */
function describe(error: unknown): string {
  if (typeof error === 'function') return 'a function'; // its toString could be foreign
  if (typeof error !== 'object' || error === null) return `${typeof error}: ${String(error).slice(0, 1000)}`;
  const message = findData(error, 'message');
  const name = classNameOf(error);
  return typeof message === 'string' && message !== '' ? `${name}: ${message.slice(0, 1000)}` : name;
}
