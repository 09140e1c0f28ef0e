import { type HttpRequest, HttpResponse } from '#core/http';
import { maxReportBytes } from '../../sections/browser/section.js';
import { foreignForm, protectResponse } from '../access/protect-response.js';
import type { ProfilerSite } from '../site/profiler-site.js';

/**
 * `POST /_profiler/{token}/browser`: a toolbar's report about its page. Only accepted from a page of this origin, once
 * per existing record; anything else is refused or dropped.
 */
export async function takeBrowserReport(
  site: ProfilerSite,
  request: HttpRequest,
  token: string,
): Promise<HttpResponse> {
  if (foreignForm(request) !== undefined) return refuse(403);
  const text = await readReport(request);
  if (text === undefined) return refuse(413);
  const found = await site.reader.find(token);
  if (found.kind !== 'found' || found.record.origin !== 'app') return refuse(404);
  if (found.record.sections['browser'] === undefined) await site.reader.addBrowserReport?.(token, text);
  return protectResponse(new HttpResponse(null, { status: 204 }));
}

function refuse(status: number): HttpResponse {
  return protectResponse(new HttpResponse(null, { status }));
}

/** Reads the body; undefined if it is too large or cannot be read. */
async function readReport(request: HttpRequest): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of request.openBody({ maxBytes: maxReportBytes })) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}
