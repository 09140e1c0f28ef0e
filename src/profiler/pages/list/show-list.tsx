import { type HttpRequest, HttpResponse } from '#http';
import type { ProfileList } from '../../model/profile-query.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { stateBlocks } from '../../panels/blocks/state-blocks.js';
import { isToken } from '../../record/token.js';
import { ListPage } from './list-page.js';
import { type CountedRows, lastMinutes } from './histogram.js';
import { listQuery, type ParsedFilters, parseListFilters } from './list-filters.js';
import { protectResponse } from '../access/protect-response.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { renderShell } from '../shell/shell.js';
import { formatTerm, parseQuery } from '../../query/parse-query.js';
import { hasWords, queryFields } from '../../query/query-fields.js';
import { axisEnd } from '../blocks/request-bar.js';
import { BlockList } from '../blocks/block-view.js';

const emptyPage: ProfileList = { rows: [], next: null, complete: true };

/**
 * `GET /_profiler/`: the list. Redirects to the record if the query is a token. Responds with 400 if a filter cannot be
 * applied; the form then shows the reason.
 */
export async function showList(site: ProfilerSite, request: HttpRequest): Promise<HttpResponse> {
  const search = (request.query.get('q') ?? '').trim();
  if (isToken(search) && (await site.reader.find(search)).kind === 'found') {
    return protectResponse(HttpResponse.redirect(site.links.record(search)));
  }
  const { collected } = site.reader;
  const parsed = parseListFilters(request.query, { now: site.now(), collected });
  const { filters, problems } = parsed;
  const isNewest = problems.length === 0 && filters.page === '' && filters.sort === '';
  // Read before the rows: a record stored in between is then sent again and replaces its own row, instead of being lost.
  const news = isNewest ? await site.reader.news({}, null) : undefined;
  const page = problems.length > 0 ? emptyPage : await site.reader.list(listQuery(parsed));
  const counted = problems.length > 0 ? undefined : await countRows(site, parsed, page.rows);
  const [state, counters] = [site.reader.state?.(), site.reader.counters?.()];
  const stateParts = state && counters ? stateBlocks({ state, counters, retention: site.retention }) : [];
  const query = new URLSearchParams(filters);
  query.set('axis', String(axisEnd(page.rows.map(({ durationMs }) => durationMs)))); // new rows are drawn on the axis of the page
  const follow = news && (
    <span hidden data-live={`live?${query.toString()}`} data-position={news.position}>
      <button class="button" type="button" data-key="f" aria-pressed="false">
        Live
      </button>{' '}
      <output />
    </span>
  );
  const stateView = state && (
    <details class="state">
      <summary>
        State of the profiler <span class="muted">{state.store}</span>
      </summary>
      <BlockList blocks={stateParts} level={2} />
    </details>
  );
  const data = { site, page, parsed, counted, follow, state: stateView };
  return renderShell(<ListPage {...data} />, {
    title: filters.q === '' ? 'Requests' : `Requests: ${filters.q}`,
    links: site.links,
    current: 'list',
    search: { text: filters.q, suggestions: suggestions(collected, page.rows) },
    hasRows: page.rows.length > 0,
    status: problems.length > 0 ? 400 : 200,
  });
}

/** Counts all matching records, and those per minute of the half hour before the newest row. */
async function countRows(
  site: ProfilerSite,
  parsed: ParsedFilters,
  rows: readonly ProfileSummary[],
): Promise<CountedRows> {
  const { bucket = 'app', where = [] } = listQuery(parsed);
  const newest = Math.max(...rows.map(({ startedAt }) => startedAt), 0);
  const steps = lastMinutes(newest);
  const [all, slow, hour] = await Promise.all([
    site.reader.totals({ bucket, where, isCountOnly: true }),
    site.reader.totals({ bucket, where: [...where, ...parseQuery('has:slow').where], isCountOnly: true }),
    site.reader.totals({
      bucket,
      where: [...where, ...parseQuery(`after:${steps.from}`).where],
      steps,
      isCountOnly: true,
    }),
  ]);
  return {
    total: Math.max(rows.length, all.groups[0]?.count ?? 0),
    failed: all.groups[0]?.failed ?? 0,
    slow: slow.groups[0]?.count ?? 0,
    isExact: all.complete && slow.complete,
    steps,
    histogram: hour.groups[0]?.steps ?? [],
  };
}

/** Values of the rows, then examples of every field and word of the query language. */
function suggestions(
  collected: ProfilerSite['reader']['collected'],
  rows: readonly ProfileSummary[],
): readonly string[] {
  const values = rows.flatMap(({ route, user, status }) => [
    ...(status >= 400 ? [`status:${status}`] : []),
    ...(route === null ? [] : [formatTerm('route', route)]),
    ...(user === null ? [] : [formatTerm('user', user)]),
  ]);
  const examples = queryFields(collected).map(({ example }) => example);
  const words = [...hasWords(collected).keys()].map((word) => `has:${word}`);
  return [...new Set([...[...new Set(values)].slice(0, maxValues), ...examples, ...words])];
}

/** Maximum values of rows that the search field suggests. */
const maxValues = 12;
