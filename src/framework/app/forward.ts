import { type HttpResponse, type RequestSource, HttpRequest, RequestHeaders, sizeOfBody } from '#http';
import type { Kernel } from '#kernel';
import { Scope } from '#scope';

/** Properties of a sub-request that differ from its parent. */
export interface ForwardOptions {
  /** Method of the sub-request. Default `GET`. */
  readonly method?: string;
}

/**
 * Creates the function that sends a sub-request to the application. A sub-request has the client, headers and connection of
 * its parent, no body, and its own scope. Routing, locale, firewall and access checks run again for it; the locale, user and
 * route of the parent are unchanged afterwards. Its record refers to its parent.
 */
export function createForward(
  kernel: Kernel,
): (parent: HttpRequest, target: string, options?: ForwardOptions) => Promise<HttpResponse> {
  return async (parent, target, options = {}) => {
    const request = new HttpRequest(sourceOf(parent, { method: options.method ?? 'GET', target }), {
      scope: new Scope(parent.scope),
      trust: parent.trust,
      limits: parent.limits,
    });
    const response = await kernel.handle(request);
    const callerResponse = response.copy(); // the caller may change and return this one
    response.seal();
    await kernel.terminate(request, response, {
      status: response.status,
      headers: Object.freeze([...response.headers.flat]),
      bodyBytes: sizeOfBody(response.body),
      completed: true,
    });
    return callerResponse;
  };
}

/** Copies the fields one by one: a spread would omit the fields of a source that are getters of its class. */
function sourceOf(parent: HttpRequest, overrides: { method: string; target: string }): RequestSource {
  const { authority, httpVersion, peer, rawHeaders } = parent.source;
  const headers = new RequestHeaders(Object.freeze(withoutBodyFields(rawHeaders)));
  return {
    ...overrides,
    rawHeaders: headers.raw,
    headers,
    authority,
    httpVersion,
    peer,
    get signal() {
      return parent.signal; // read on demand: most requests need none
    },
  };
}

/** Header fields that describe the body of the parent, or override the method. */
const omittedHeaders: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'transfer-encoding',
  'x-http-method-override',
]);

function withoutBodyFields(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (!omittedHeaders.has(name.toLowerCase())) kept.push(name, raw[at + 1] ?? '');
  }
  return kept;
}
