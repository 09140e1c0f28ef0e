import { isHttpError } from '#errors';
import { type HttpRequest, type HttpResponse, ClientGoneResponse, isClientGone } from '#http';
import { exceptionEvent } from '../exchange/kernel-events.js';
import { type KernelListener, kernelListener, kernelPriority } from '../kernel-listener.js';

/** Port: renders the answer to an error. May fail; the kernel then sends its last resort. */
export interface ErrorRenderer {
  render(error: unknown, request: HttpRequest): HttpResponse | Promise<HttpResponse>;
}

/** The last listener of the exception stage: turns an error without an answer into the error page. */
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

/** Headers that belong to the error itself: Allow, Retry-After, WWW-Authenticate. */
function withErrorHeaders(response: HttpResponse, error: unknown): HttpResponse {
  if (!isHttpError(error)) return response;
  for (const [name, value] of Object.entries(error.headers)) {
    if (!response.headers.has(name)) response.headers.append(name, value);
  }
  return response;
}
