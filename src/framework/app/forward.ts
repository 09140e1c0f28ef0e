import type { HttpResponse } from '#http';
import { HttpRequest } from '#http';
import type { Kernel } from '#kernel';
import { Scope } from '#scope';

/** What a sub-request may differ in. */
export interface ForwardOptions {
  /** Default `GET`. */
  readonly method?: string;
}

/**
 * Asks the application itself on behalf of a request: a sub-request with the client, headers and connection of its
 * parent, no body, and a scope of its own. Routing, locale, firewall and access checks run again for it, and the
 * parent's locale, user and route are as they were when it is over. Its record names its parent.
 */
export function createForward(
  kernel: Kernel,
): (parent: HttpRequest, target: string, options?: ForwardOptions) => Promise<HttpResponse> {
  return async (parent, target, options = {}) => {
    const { body: _notPassedOn, ...source } = parent.source;
    const request = new HttpRequest(
      { ...source, method: options.method ?? 'GET', target },
      { scope: new Scope(parent.scope), trust: parent.trust, limits: parent.limits },
    );
    const response = await kernel.handle(request);
    const bodyBytes = typeof response.body === 'string' ? Buffer.byteLength(response.body) : 0;
    await kernel.terminate(request, response, {
      status: response.status,
      headers: response.headers.flat,
      bodyBytes,
      completed: true,
    });
    return response;
  };
}
