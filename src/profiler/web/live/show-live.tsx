import type { VNode } from 'preact';
import { renderFragment, visiblePage } from '#html';
import { type HttpRequest, HttpResponse } from '#http';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { protectResponse } from '../access/protect-response.js';
import { listQuery, type ParsedFilters, parseListFilters } from '../list/list-filters.js';
import { RequestRow, sharedRowProps } from '../list/request-row.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import type { LiveSubscribers } from './live-subscribers.js';

const positionField = 'position';
const axisField = 'axis';

/**
 * `GET /_profiler/live`: new rows of the list with the same parameters, as server-sent events after the position in
 * `Last-Event-ID` or `position`. Responds with 503 if too many pages follow, and with 400 if a filter cannot be applied.
 */
export function showLive(site: ProfilerSite, request: HttpRequest, followers: LiveSubscribers): HttpResponse {
  const parameters = new URLSearchParams(request.rawQuery);
  const position = request.headers.get('last-event-id') ?? parameters.get(positionField) ?? '';
  parameters.delete(positionField);
  const axis = Number(parameters.get(axisField) ?? 'none');
  parameters.delete(axisField);
  const { collected } = site.reader;
  const parsed = parseListFilters(parameters, { now: site.now(), collected });
  if (parsed.problems.length > 0 || position === '')
    return refuse(400, 'Follow from the list: it knows the position to start at.\n');
  if (followers.isFull) return refuse(503, 'Too many pages follow already.\n');
  const { bucket = 'app', where = [] } = listQuery(parsed);
  const body = followers.follow(request, {
    query: { bucket, where },
    position,
    render: (rows) => renderRows(site, parsed, rows, axis > 0 ? axis : undefined),
  });
  const headers = {
    'Content-Type': 'text/event-stream',
    'X-Accel-Buffering': 'no',
  };
  const response = protectResponse(new HttpResponse(body, { headers }));
  response.headers.set('Cache-Control', 'no-store, no-transform');
  return response;
}

function refuse(status: number, text: string): HttpResponse {
  const response = protectResponse(HttpResponse.text(text, { status }));
  if (status === 503) response.headers.set('Retry-After', '30');
  return response;
}

function renderRows(
  site: ProfilerSite,
  parsed: ParsedFilters,
  rows: readonly ProfileSummary[],
  end: number | undefined,
): string {
  const shared = sharedRowProps(site, parsed, rows, end);
  return JSON.stringify(
    rows.map((row) => ({
      token: row.token,
      html: visiblePage(renderFragment(tableOf(<RequestRow {...shared} row={row} />)).toString()),
    })),
  );
}

/** Wraps a row in a table, since HTML parsers drop rows outside of tables. */
function tableOf(row: VNode): VNode {
  return (
    <table>
      <tbody>{row}</tbody>
    </table>
  );
}
