import type { HttpRequest, HttpResponse } from '#http';
import { addToolbar, joinRedirect, type Recording, serverTiming } from '#profiler';

/** Options for finishing a response. */
export interface FinishOptions {
  readonly recording: Recording;
  /** Origins whose scripts may read the header fields. */
  readonly origins: readonly string[];
  readonly toolbar: boolean;
}

/**
 * Finishes a response for a client that may see debug output: adds timings, the record of a preceding redirect, and the
 * toolbar.
 */
export function finishPage(
  request: HttpRequest,
  response: HttpResponse,
  { recording, origins, toolbar }: FinishOptions,
): void {
  response.headers.append('Server-Timing', serverTiming(recording));
  exposeDebugHeaders(origins, request, response);
  linkRedirect(request, response, recording.token);
  if (toolbar) insertToolbar(request, response, recording.token);
}

/**
 * Exposes the debug header fields to scripts of other origins, which can read only exposed fields (Fetch, section 3.3.3).
 */
function exposeDebugHeaders(
  origins: readonly string[],
  request: HttpRequest,
  { headers }: HttpResponse,
): void {
  if (origins.length === 0 || !origins.includes(request.headers.get('origin') ?? '')) return;
  const exposed = headers.get('access-control-expose-headers');
  const own = 'X-Debug-Token, X-Debug-Token-Link';
  headers.set('Access-Control-Expose-Headers', exposed === undefined ? own : `${exposed}, ${own}`);
}

function linkRedirect(request: HttpRequest, { status, headers }: HttpResponse, token: string): void {
  const { previous, cookies } = joinRedirect(request, { status, location: headers.get('location') }, token);
  if (previous !== undefined) headers.set('X-Previous-Debug-Token', previous);
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
}

function insertToolbar(request: HttpRequest, response: HttpResponse, token: string): void {
  const { status, headers, body } = response;
  if (!/html/i.test(headers.get('content-type') ?? '')) return;
  const fields = (name: string): readonly string[] => headers.getAll(name);
  const page = addToolbar({ status, fields, body }, { request, token, prefix: '/_profiler' });
  if (page === undefined) return;
  response.body = page.body;
  for (const [name, value] of page.fields) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
}
