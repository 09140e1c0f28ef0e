import type { VNode } from 'preact';
import { ActiveFilters, FilterForm, RefusedFilters } from './filter-form.js';
import type { ProfileList } from '../../model/profile-query.js';
import { type CountedRows, Histogram, lastMinutes } from './histogram.js';
import {
  type ListFilters,
  type ParsedFilters,
  withTerms,
  listQuery,
  parseListFilters,
} from './list-filters.js';
import { say } from '#core/phrases';
import { ActionForm } from '../blocks/controls.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { RequestTable } from './request-table.js';
import { type HttpRequest, HttpResponse } from '#core/http';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { stateBlocks } from '../../view/state-blocks.js';
import { isToken } from '../../encoding/token.js';
import { protectResponse } from '../access/protect-response.js';
import { renderShell } from '../shell/shell.js';
import { formatTerm, parseQuery } from '../../search/parse-query.js';
import { hasWords, queryFields } from '../../search/query-fields.js';
import { axisEnd, ColourKey } from '../blocks/request-bar.js';
import { BlockList } from '../blocks/block-view.js';

export interface ListPageData {
  readonly site: ProfilerSite;
  /** Without rows if there are problems, because nothing was searched. */
  readonly page: ProfileList;
  readonly parsed: ParsedFilters;
  readonly counted: CountedRows | undefined;
  /** The button that follows new requests; only on the page with the newest row. */
  readonly follow: VNode | undefined;
  readonly state: VNode | undefined;
}

/** The list of requests: one bar per request, all on one axis. Works without scripts. */
export function ListPage(data: ListPageData): VNode {
  const { site, page, parsed } = data;
  const { links } = site;
  const { filters, problems } = parsed;
  return (
    <>
      <TitleLine {...data} />
      {problems.length > 0 ? (
        <RefusedFilters parsed={parsed} links={links} />
      ) : page.rows.length === 0 ? (
        <p class="empty">
          No request matches.{' '}
          {isFiltered(filters) && <a href={links.list({ own: filters.own })}>Show all requests</a>}
        </p>
      ) : (
        [<ColourKey />, <RequestTable site={site} parsed={parsed} rows={page.rows} />]
      )}
      <Pager {...data} />
      {data.state}
    </>
  );
}

/** Title, count, quick and active filters, the chart of the last half hour, and the follow button. */
function TitleLine(data: ListPageData): VNode {
  const { site, page, parsed, counted, follow } = data;
  const { links } = site;
  const { q, own } = parsed.filters;
  const quick = (words: string, count: number, term: string, tone: string): VNode | false =>
    count > 0 &&
    !q.includes(term) && (
      <a class="button opt" href={links.list(withTerms(parsed, term))}>
        <span class={tone}>{say(words, { n: count })}</span>
      </a>
    );
  return (
    <div class="title-line">
      <h1>{own === '1' ? 'Profiler requests' : 'Requests'}</h1>
      <span class="total">{countWords(data)}</span>
      {quick('{n} failed', counted?.failed ?? 0, 'status:>=500', 'err')}
      {quick('{n} slow', counted?.slow ?? 0, 'has:slow', 'warn')}
      <ActiveFilters parsed={parsed} links={links} />
      <FilterForm parsed={parsed} links={links} />
      {!page.complete && <span class="warn">The search stopped early: older requests may match too.</span>}
      {counted !== undefined && <Histogram counted={counted} parsed={parsed} links={links} />}
      {follow}
    </div>
  );
}

function countWords({ page: { rows }, parsed: { problems, sort, filters }, counted }: ListPageData): string {
  if (problems.length > 0) return 'not searched';
  if (rows.length === 0 || counted === undefined) return 'none';
  const count = say(counted.isExact ? '{n}' : '{n} or more', { n: counted.total });
  if (sort === undefined) return count;
  const order = sort.isAscending ? ', by {column}, smallest first' : ', by {column}, largest first';
  return count + say(order, { column: filters.sort.replace('-', '') });
}

function isFiltered(filters: ListFilters): boolean {
  return Object.entries(filters).some(([name, value]) => name !== 'own' && name !== 'assets' && value !== '');
}

function Pager({ site: { links }, parsed: { filters }, page: { next } }: ListPageData): VNode {
  const isOwn = filters.own === '1';
  const isSorted = filters.sort !== '';
  const link = (words: string, change: Partial<ListFilters>, rel?: string): VNode => (
    <a class="button" rel={rel} href={links.list({ ...filters, ...change })}>
      {words}
    </a>
  );
  return (
    <nav class="pager" aria-label="Pages of the list">
      {next !== null && link(isSorted ? 'Next page' : 'Older requests', { page: next }, 'next')}
      {filters.page !== '' && link(isSorted ? 'First page' : 'Newest', { page: '' })}
      {filters.assets === '1' && link('Fold assets', { assets: '' })}
      <button class="button" type="submit" form="compare">
        Compare selected
      </button>
      <a class="button" href={isOwn ? links.list() : links.list({ own: '1' })}>
        {isOwn ? 'Requests of the application' : 'Requests of the profiler'}
      </a>
      <ActionForm
        action={links.purge(isOwn ? 'profiler' : 'app')}
        label="Delete all records…"
        buttonClass="button"
      />
    </nav>
  );
}

const emptyPage: ProfileList = { rows: [], next: null, complete: true };

/** `GET /_profiler/`: the list, or the record if the query is a token; 400 with the reason if a filter is invalid. */
export async function showList(site: ProfilerSite, request: HttpRequest): Promise<HttpResponse> {
  const search = (request.query.get('q') ?? '').trim();
  if (isToken(search) && (await site.reader.find(search)).kind === 'found') {
    return protectResponse(HttpResponse.redirect(site.links.record(search)));
  }
  const { collected } = site.reader;
  const parsed = parseListFilters(request.query, { now: site.now(), collected });
  const { filters, problems } = parsed;
  const isNewest = problems.length === 0 && filters.page === '' && filters.sort === '';
  // Read before the rows, so that a record stored in between is sent again and replaces its own row instead of being
  // lost.
  const news = isNewest ? await site.reader.news({}, null) : undefined;
  const page = problems.length > 0 ? emptyPage : await site.reader.list(listQuery(parsed));
  const counted = problems.length > 0 ? undefined : await countRows(site, parsed, page.rows);
  const [state, counters] = [site.reader.state?.(), site.reader.counters?.()];
  const stateParts = state && counters ? stateBlocks({ state, counters, retention: site.retention }) : [];
  const query = new URLSearchParams(filters);
  query.set('axis', String(axisEnd(page.rows.map(({ durationMs }) => durationMs)))); // new rows are drawn on the page's axis
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

/** Counts all matching records, and those per minute in the half hour before the newest row. */
async function countRows(
  site: ProfilerSite,
  parsed: ParsedFilters,
  rows: readonly ProfileSummary[],
): Promise<CountedRows> {
  const { origin = 'app', where = [] } = listQuery(parsed);
  const newest = Math.max(...rows.map(({ startedAt }) => startedAt), 0);
  const steps = lastMinutes(newest);
  const [all, slow, hour] = await Promise.all([
    site.reader.totals({ origin, where, isCountOnly: true }),
    site.reader.totals({ origin, where: [...where, ...parseQuery('has:slow').where], isCountOnly: true }),
    site.reader.totals({
      origin,
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

/** Returns values from the rows, then examples of every field and keyword in the query language. */
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

/** Maximum values from rows that the search field suggests. */
const maxValues = 12;
