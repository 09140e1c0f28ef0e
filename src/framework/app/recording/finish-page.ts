import type { HttpRequest, HttpResponse } from '#core/http';
import { addToolbar, type Recording, recordFields } from '#profiler';

/**
 * For a client that may see debug output: adds the fields that name the record, and the toolbar. Scripts of `origins`
 * may read the fields.
 */
export function finishPage(
  { request, response }: { readonly request: HttpRequest; readonly response: HttpResponse },
  record: { readonly recording: Recording; readonly link: string },
  { origins, hasToolbar }: { readonly origins: readonly string[]; readonly hasToolbar: boolean },
): void {
  const { status, headers } = response;
  const location = status >= 300 && status < 400 ? headers.get('location') : undefined;
  for (const [name, value] of recordFields(request, { status, location }, record)) {
    if (name.startsWith('X-')) headers.set(name, value);
    else headers.append(name, value);
  }
  exposeDebugHeaders(origins, request, response);
  if (hasToolbar) insertToolbar(request, response, record.recording.token);
}

/** Exposes the debug fields to scripts from other origins, which cannot read other fields (Fetch, section 3.3.3). */
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

function insertToolbar(request: HttpRequest, response: HttpResponse, token: string): void {
  const { status, headers, body } = response;
  if (!/html/i.test(headers.get('content-type') ?? '')) return;
  const fields = (name: string): readonly string[] => headers.getAll(name);
  const page = addToolbar(
    { status, fields, body },
    { request, token, prefix: `${request.basePath}/_profiler` },
  );
  if (page === undefined) return;
  response.body = page.body;
  for (const [name, value] of page.fields) headers.set(name, value);
}
