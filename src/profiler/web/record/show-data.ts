import type { HttpRequest } from '#http';
import { HttpResponse } from '#http';
import { renderRecordJson } from '../../api/render-record-json.js';
import { renderRecordMarkdown } from '../../api/render-record-markdown.js';
import { findRecord } from '../lookup/find-record.js';
import type { Miss } from '../lookup/miss-page.js';
import { protectResponse } from '../access/protect-response.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { panelBlocks, panelContext } from './show-record.js';

/** `GET /_profiler/{token}.json` and `.md`: the whole record as data; misses as a problem document (RFC 9457). */
export async function showData(
  site: ProfilerSite,
  request: HttpRequest,
  wanted: { readonly token: string; readonly format: 'json' | 'md' },
): Promise<HttpResponse> {
  const found = await findRecord(site, request, wanted.token);
  if (found.kind === 'miss') return problem(found.miss);
  const { record } = found;
  if (wanted.format === 'json') {
    const headers = { 'Content-Type': 'application/json' };
    return protectResponse(new HttpResponse(renderRecordJson(record), { headers }));
  }
  const context = panelContext(site, request, record);
  const parts = site.panels.map((panel) => ({
    title: panel.title,
    blocks: panelBlocks(panel, record, context),
  }));
  const headers = { 'Content-Type': 'text/markdown; charset=utf-8' };
  return protectResponse(new HttpResponse(renderRecordMarkdown(record, parts), { headers }));
}

function problem(miss: Miss): HttpResponse {
  const response = protectResponse(
    HttpResponse.json(
      {
        type: `urn:lookback:profiler:${miss.kind}`,
        title: miss.title,
        status: miss.status,
        detail: miss.detail,
      },
      { status: miss.status, headers: { 'Content-Type': 'application/problem+json' } },
    ),
  );
  if (miss.retryAfter !== undefined) response.headers.set('Retry-After', String(miss.retryAfter));
  return response;
}
