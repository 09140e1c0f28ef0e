import { setTimeout } from 'node:timers/promises';
import { renderFragment, visiblePage } from '#core/html';
import { type HttpRequest, HttpResponse } from '#core/http';
import type { ProfileNews } from '../../model/profile-query.js';
import { protectResponse } from '../access/protect-response.js';
import { listQuery, type ParsedFilters, parseListFilters } from './list-filters.js';
import { RequestRow } from './request-table.js';
import { axisEnd } from '../blocks/request-bar.js';
import type { ProfileReader, ProfilerSite } from '../site/profiler-site.js';

/**
 * `GET /_profiler/live`: new rows after a position, as server-sent events; 503 if too many pages follow, 400 for
 * invalid filters.
 */
export function showLive(site: ProfilerSite, request: HttpRequest, followers: LiveSubscribers): HttpResponse {
  const parameters = new URLSearchParams(request.rawQuery);
  const position = request.headers.get('last-event-id') ?? parameters.get('position') ?? '';
  parameters.delete('position');
  const axis = Number(parameters.get('axis') ?? 'none');
  parameters.delete('axis');
  const parsed = parseListFilters(parameters, { now: site.now(), collected: site.reader.collected });
  if (parsed.problems.length > 0 || position === '')
    return refuse(400, 'Follow from the list, which knows the position to start at.\n');
  if (followers.isFull) return refuse(503, 'Too many pages follow already.\n');
  const { origin = 'app', where = [] } = listQuery(parsed);
  const body = followers.follow(request, {
    reader: site.reader,
    query: { origin, where },
    position,
    render: (rows) => renderRows(site, parsed, rows, axis),
  });
  const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
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
  rows: ProfileNews['rows'],
  axis: number,
): string {
  const shared = { site, parsed, end: axis > 0 ? axis : axisEnd(rows.map(({ durationMs }) => durationMs)) };
  return JSON.stringify(
    rows.map((row) => {
      // In a table, because HTML parsers drop rows outside of tables.
      const table = (
        <table>
          <tbody>
            <RequestRow {...shared} row={row} />
          </tbody>
        </table>
      );
      return { token: row.token, html: visiblePage(renderFragment(table).toString()) };
    }),
  );
}

/** Maximum number of pages following at the same time. */
const maxSubscribers = 20;
/** Polling interval, in milliseconds. */
const lookMs = 1000;
/** Polls without news after which a comment is sent, so that proxies keep the connection open. */
const looksPerHeartbeat = 15;

/** The query that a page follows, its start position, and the function that renders rows as event data. */
interface Subscription {
  readonly reader: Pick<ProfileReader, 'news'>;
  readonly query: Parameters<ProfileReader['news']>[0];
  readonly position: string;
  readonly render: (rows: ProfileNews['rows']) => string;
}

/** The pages that follow the list. Bounded, because each keeps a response open. */
export class LiveSubscribers {
  #count = 0;

  get isFull(): boolean {
    return this.#count >= maxSubscribers;
  }

  /**
   * Yields an event per batch, with the position after it as id, so that reconnecting neither loses nor repeats rows.
   */
  async *follow(
    request: HttpRequest,
    { reader, query, position: start, render }: Subscription,
  ): AsyncGenerator<string> {
    if (this.isFull) return;
    const signal = AbortSignal.any([request.signal, request.stopping].filter((one) => one !== undefined));
    this.#count += 1;
    try {
      yield ': the requests that are stored from now on\n\n';
      let looks = 0;
      for (let position = start; !signal.aborted;) {
        const news = await reader.news(query, position);
        if (news === undefined) return;
        if (news.isGap || news.rows.length > 0 || news.position !== position) yield eventOf(news, render);
        else await setTimeout(lookMs, undefined, { signal, ref: false }).catch(() => undefined); // aborted: it is over
        position = news.position;
        looks += 1;
        if (looks % looksPerHeartbeat === 0 && !signal.aborted) yield ':\n\n';
      }
    } finally {
      this.#count -= 1;
    }
  }
}

/** Renders an event. Browsers remember the id even of an event without data. */
function eventOf({ rows, position, isGap }: ProfileNews, render: Subscription['render']): string {
  if (isGap) return `event: gap\nid: ${position}\ndata:\n\n`;
  return `id: ${position}\n${rows.length > 0 ? `data: ${render(rows)}\n` : ''}\n`;
}
