import { type HttpResponse, type RequestSource, HttpRequest, RequestHeaders, sizeOfBody } from '#http';
import type { Kernel } from '#kernel';
import { Scope } from '#scope';

/** What a sub-request may differ in. */
export interface ForwardOptions {
  /** Default `GET`. */
  readonly method?: string;
}

/**
 * Calls the application itself on behalf of a request: a sub-request with the client, headers and connection of its
 * parent, no body, and a scope of its own. Routing, locale, firewall and access checks run again for it, and the
 * parent's locale, user and route are as they were when it is over. Its record names its parent.
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
    const given = response.copy(); // for the caller, to change and to return
    response.seal();
    await kernel.terminate(request, response, {
      status: response.status,
      headers: Object.freeze([...response.headers.flat]),
      bodyBytes: sizeOfBody(response.body),
      completed: true,
    });
    return given;
  };
}

/** Field by field: a source of a server adapter may be an object of getters, of which a spread would keep none. */
function sourceOf({ source }: HttpRequest, asked: { method: string; target: string }): RequestSource {
  const headers = new RequestHeaders(Object.freeze(withoutBodyFields(source.rawHeaders)));
  const { authority, httpVersion, peer, signal } = source;
  return { ...asked, rawHeaders: headers.raw, headers, authority, httpVersion, peer, signal };
}

/** Fields that are about the parent's body, or change its method. */
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
