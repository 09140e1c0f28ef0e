import type { HttpRequest, HttpResponse } from '#http';
import { addToolbar, joinRedirect, type Recording, serverTiming } from '#profiler';

/** How an answer is finished. */
export interface FinishOptions {
  readonly recording: Recording;
  /** Origins whose scripts may read the fields. */
  readonly origins: readonly string[];
  readonly toolbar: boolean;
}

/** What an answer gains for those who may see debug output: its time, the record that redirected to it, and the toolbar. */
export function finishPage(
  request: HttpRequest,
  response: HttpResponse,
  { recording, origins, toolbar }: FinishOptions,
): void {
  response.headers.append('Server-Timing', serverTiming(recording));
  exposeTo(origins, request, response);
  nameRedirect(request, response, recording.token);
  if (toolbar) putToolbar(request, response, recording.token);
}

/** Scripts of another origin see a few fields only, unless they are named (Fetch, section 3.3.3). */
function exposeTo(origins: readonly string[], request: HttpRequest, { headers }: HttpResponse): void {
  if (origins.length === 0 || !origins.includes(request.headers.get('origin') ?? '')) return;
  const exposed = headers.get('access-control-expose-headers');
  const own = 'X-Debug-Token, X-Debug-Token-Link';
  headers.set('Access-Control-Expose-Headers', exposed === undefined ? own : `${exposed}, ${own}`);
}

function nameRedirect(request: HttpRequest, { status, headers }: HttpResponse, token: string): void {
  const { previous, cookies } = joinRedirect(request, { status, location: headers.get('location') }, token);
  if (previous !== undefined) headers.set('X-Previous-Debug-Token', previous);
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
}

function putToolbar(request: HttpRequest, response: HttpResponse, token: string): void {
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
