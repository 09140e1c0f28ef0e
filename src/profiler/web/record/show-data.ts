import { visibleJson } from '#html';
import { type HttpRequest, HttpResponse } from '#http';
import { recordJsonSchema } from '../../api/record-json-schema.js';
import { renderBlocksMarkdown } from '../../api/render-blocks-markdown.js';
import { renderCpuProfile } from '../../api/render-cpu-profile.js';
import { renderCurl } from '../../api/render-curl.js';
import { renderHar } from '../../api/render-har.js';
import { quietRank, renderRecordMarkdown } from '../../api/render-record-markdown.js';
import { repeatableRequest } from '../../api/replay.js';
import { type ProfileRecord, recordSchema } from '../../model/profile-record.js';
import { cpuSectionOf } from '../../panels/cpu/cpu-panel.js';
import { Missing, getRecord } from '../lookup/get-record.js';
import { protectResponse } from '../access/protect-response.js';
import { listQuery, parseListFilters } from '../list/list-filters.js';
import type { DataFormat } from '../site/links.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { failedPanel, findRelated, panelBlocks, panelContext, safely } from './show-record.js';

/** Maximum records in one HAR archive. */
const maxArchived = 100;

const mediaTypes: Readonly<Partial<Record<DataFormat, string>>> = {
  json: 'application/json',
  har: 'application/json',
  md: 'text/markdown; charset=utf-8',
  cpuprofile: 'application/json',
};

/** Renderers of a record by format. */
const renderers: Readonly<
  Record<Exclude<DataFormat, 'md' | 'cpuprofile'>, (record: ProfileRecord) => string>
> = {
  json: (record) => JSON.stringify(record),
  har: (record) => renderHar([record]),
  curl: (record) => renderCurl(repeatableRequest(record)),
};

/** `GET /_profiler/{token}.{format}`: the whole record as data, or its request as a script that repeats it. */
export async function showData(
  site: ProfilerSite,
  request: HttpRequest,
  wanted: { readonly token: string; readonly format: DataFormat },
): Promise<HttpResponse> {
  const record = await getRecord(site, wanted.token);
  const { format } = wanted;
  if (format === 'cpuprofile') return cpuProfileResponse(record);
  return dataResponse(
    format,
    format === 'md' ? await markdownOf(site, request, record) : renderers[format](record),
  );
}

/** `GET /_profiler/search.json` and `search.har`: rows of the list, with the same parameters; 400 if one is invalid. */
export async function showSearch(
  site: ProfilerSite,
  request: HttpRequest,
  format: 'json' | 'har',
): Promise<HttpResponse> {
  const parsed = parseListFilters(request.query, { now: site.now(), collected: site.reader.collected });
  if (parsed.problems.length > 0) {
    const detail = parsed.problems.map(({ name, words }) => `${name}: ${words}`).join(' ');
    const title = 'A filter makes no sense';
    throw new Missing({
      status: 400,
      kind: 'bad-filter',
      title,
      detail,
      more: { problems: parsed.problems },
    });
  }
  const query = listQuery(parsed);
  const page = await site.reader.list(query);
  if (format === 'json') return dataResponse('json', JSON.stringify({ schema: recordSchema, ...page }));
  const records: ProfileRecord[] = [];
  for (const { token } of page.rows.slice(0, maxArchived)) {
    const found = await site.reader.find(token);
    if (found.kind === 'found') records.push(found.record);
  }
  return dataResponse('har', renderHar(records));
}

/** `GET /_profiler/schema.json`. */
export function showSchema(): HttpResponse {
  return dataResponse('json', JSON.stringify(recordJsonSchema));
}

function cpuProfileResponse(record: ProfileRecord): HttpResponse {
  const section = cpuSectionOf(record);
  if (section === undefined || section.nodes.length === 0) {
    const detail = section?.refusal ?? 'None was requested: add _profile=cpu to the query of the request.';
    throw new Missing({
      status: 404,
      kind: 'no-cpu-profile',
      title: 'The record has no CPU profile',
      detail,
    });
  }
  const response = dataResponse('cpuprofile', renderCpuProfile(section));
  response.headers.set('Content-Disposition', `attachment; filename="${record.token}.cpuprofile"`);
  return response;
}

function dataResponse(format: DataFormat, text: string): HttpResponse {
  const shown = format === 'md' || format === 'curl' ? text : visibleJson(text);
  const headers = { 'Content-Type': mediaTypes[format] ?? 'text/plain; charset=utf-8' };
  return protectResponse(new HttpResponse(shown, { headers }));
}

/** Renders a record: first the panels that it opens with, then the others by badge; with `?panel=` only the named ones. */
async function markdownOf(site: ProfilerSite, request: HttpRequest, record: ProfileRecord): Promise<string> {
  const context = panelContext(site, request, record);
  const only = request.query.get('panel')?.split(',');
  const panels = site.panels.filter(({ id }) => only === undefined || only.includes(id));
  const parts = panels.map(async (panel, index) => {
    const related = await findRelated(site, panel, record);
    const badge = safely(() => panel.badge(record), undefined);
    const tone = badge === undefined || badge === 'plain' ? 'neutral' : badge.tone;
    const isFirst = only !== undefined || safely(() => panel.opens?.(record), false) === true;
    const rank = isFirst ? 0 : { error: 1, warn: 2, neutral: quietRank }[tone];
    const { id, title } = panel;
    return {
      id,
      title,
      rank: rank + index / 1_000,
      isEmpty: badge === undefined && !isFirst,
      text: () =>
        safely(
          () => renderBlocksMarkdown(panelBlocks(panel, record, { ...context, related }), 3),
          undefined,
        ) ?? renderBlocksMarkdown(failedPanel(panel), 3),
    };
  });
  return renderRecordMarkdown(record, await Promise.all(parts));
}
