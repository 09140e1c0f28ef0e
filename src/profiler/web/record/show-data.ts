import { safely } from '#core/coded-error';
import { visibleJson } from '#core/html';
import { type HttpRequest, HttpResponse } from '#core/http';
import { recordJsonSchema } from '../reports/record-json-schema.js';
import { renderBlocksMarkdown } from '../reports/render-blocks-markdown.js';
import { renderCpuProfile } from '../reports/render-cpu-profile.js';
import { renderCurl } from '../reports/render-curl.js';
import { renderHar } from '../reports/render-har.js';
import { quietRank, renderRecordMarkdown } from '../reports/render-record-markdown.js';
import { repeatableRequest } from '../reports/replay.js';
import { type ProfileRecord, recordSchema } from '../../model/profile-record.js';
import { cpuSectionOf } from '../../sections/cpu/panel.js';
import { Missing, getRecord } from './get-record.js';
import { protectResponse } from '../access/protect-response.js';
import { listQuery, parseListFilters } from '../list/list-filters.js';
import type { DataFormat } from '../site/links.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { failedPanel, findRelated, noPanel, panelBlocks, panelContext } from './show-record.js';

const maxArchived = 100;

/** `GET /_profiler/{token}.{format}`: the whole record as data, or its request as a script that repeats it. */
export async function showData(
  site: ProfilerSite,
  request: HttpRequest,
  { token, format }: { readonly token: string; readonly format: DataFormat },
): Promise<HttpResponse> {
  const record = await getRecord(site, token);
  switch (format) {
    case 'json':
      return jsonResponse(JSON.stringify(record));
    case 'har':
      return jsonResponse(renderHar([record]));
    case 'curl':
      return textResponse('plain', renderCurl(repeatableRequest(record)));
    case 'md':
      return textResponse('markdown', await markdownOf(site, request, record));
    case 'cpuprofile':
      return cpuProfileResponse(record);
  }
}

/** `GET /_profiler/search.json` and `search.har`: list rows, with the same parameters; 400 if one is invalid. */
export async function showSearch(
  site: ProfilerSite,
  request: HttpRequest,
  format: 'json' | 'har',
): Promise<HttpResponse> {
  const parsed = parseListFilters(request.query, { now: site.now(), collected: site.reader.collected });
  if (parsed.problems.length > 0) {
    const detail = parsed.problems.map(({ name, words }) => `${name}: ${words}`).join(' ');
    const more = { problems: parsed.problems };
    throw new Missing(400, 'bad-filter', 'Invalid filter', { detail, more });
  }
  const query = listQuery(parsed);
  const page = await site.reader.list(query);
  if (format === 'json') return jsonResponse(JSON.stringify({ schema: recordSchema, ...page }));
  const records: ProfileRecord[] = [];
  for (const { token } of page.rows.slice(0, maxArchived)) {
    const found = await site.reader.find(token);
    if (found.kind === 'found') records.push(found.record);
  }
  return jsonResponse(renderHar(records));
}

export function showSchema(): HttpResponse {
  return jsonResponse(JSON.stringify(recordJsonSchema));
}

function cpuProfileResponse(record: ProfileRecord): HttpResponse {
  const section = cpuSectionOf(record);
  if (section === undefined || section.nodes.length === 0) {
    const detail = section?.refusal ?? 'None was requested: add _profile=cpu to the query of the request.';
    throw new Missing(404, 'no-cpu-profile', 'The record has no CPU profile', { detail });
  }
  const response = jsonResponse(renderCpuProfile(section));
  response.headers.set('Content-Disposition', `attachment; filename="${record.token}.cpuprofile"`);
  return response;
}

function jsonResponse(text: string): HttpResponse {
  const headers = { 'Content-Type': 'application/json' };
  return protectResponse(new HttpResponse(visibleJson(text), { headers }));
}

/** Responds with plain text or Markdown. */
export function textResponse(type: 'plain' | 'markdown', text: string): HttpResponse {
  const headers = { 'Content-Type': `text/${type}; charset=utf-8` };
  return protectResponse(new HttpResponse(text, { headers }));
}

/** Renders a record: the panels it opens with first, then the others by badge; with `?panel=` only the named ones. */
async function markdownOf(site: ProfilerSite, request: HttpRequest, record: ProfileRecord): Promise<string> {
  const only = (request.query.get('panel') || undefined)?.split(',');
  const panels = site.panels.filter(({ id }) => only === undefined || only.includes(id));
  const unknown = only?.find((wanted) => panels.every(({ id }) => id !== wanted));
  if (unknown !== undefined) throw noPanel(site, unknown, record);
  const parts = panels.map(async (panel) => {
    const context = panelContext(site, request, record, { related: await findRelated(site, panel, record) });
    const badge = safely(() => panel.badge(record), undefined);
    const tone = badge === undefined || badge === 'plain' ? 'neutral' : badge.tone;
    const isFirst = only !== undefined || safely(() => panel.opens?.(record), false) === true;
    const rank = isFirst ? 0 : { error: 1, warn: 2, neutral: quietRank }[tone];
    return {
      id: panel.id,
      title: panel.title,
      rank,
      isEmpty: badge === undefined && !isFirst,
      text() {
        try {
          return renderBlocksMarkdown(panelBlocks(panel, record, context), 3);
        } catch (error) {
          return renderBlocksMarkdown(failedPanel(panel, error), 3);
        }
      },
    };
  });
  return renderRecordMarkdown(record, await Promise.all(parts));
}
