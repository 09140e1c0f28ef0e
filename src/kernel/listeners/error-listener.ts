import { isHttpError } from '#errors';
import { type HttpRequest, type HttpResponse, ClientGoneResponse, isClientGone } from '#http';
import { exceptionEvent } from '../exchange/kernel-events.js';
import { type KernelListener, kernelListener, kernelPriority } from '../kernel-listener.js';

/** Renders the response to an error. If `render` fails, the kernel sends a minimal 500 response. */
export interface ErrorRenderer {
  render(error: unknown, request: HttpRequest): HttpResponse | Promise<HttpResponse>;
}

/**
 * Creates the last listener of the exception stage, which answers an error with the error page unless it has a response.
 */
export function createErrorListener(renderer: ErrorRenderer): KernelListener {
  return kernelListener(
    exceptionEvent,
    (event) => {
      const { error, request } = event;
      if (isClientGone(error, request)) {
        event.response = new ClientGoneResponse();
        return undefined;
      }
      const response = renderer.render(error, request);
      if (response instanceof Promise) {
        return response.then((rendered) => {
          event.response = withErrorHeaders(rendered, error);
        });
      }
      event.response = withErrorHeaders(response, error);
      return undefined;
    },
    { name: 'error page', priority: kernelPriority.exception.errorPage },
  );
}

/** Adds the headers of the error itself, e.g. Allow, Retry-After or WWW-Authenticate, unless the response has them. */
function withErrorHeaders(response: HttpResponse, error: unknown): HttpResponse {
  if (!isHttpError(error)) return response;
  for (const [name, value] of Object.entries(error.headers)) {
    if (!response.headers.has(name)) response.headers.append(name, value);
  }
  return response;
}
