import type { VNode } from 'preact';
import { ActiveFilters, FilterForm, RefusedFilters } from './filter-form.js';
import type { ProfileList } from '../../model/profile-query.js';
import { type CountedRows, Histogram } from './histogram.js';
import { type ListFilters, type ParsedFilters, withTerms } from './list-filters.js';
import { say } from '#phrases';
import { ActionForm } from '../blocks/controls.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { RequestTable } from './request-table.js';

/** Data of the list page. */
export interface ListPageData {
  readonly site: ProfilerSite;
  /** Has no rows if there are problems, since nothing was searched then. */
  readonly page: ProfileList;
  readonly parsed: ParsedFilters;
  readonly counted: CountedRows | undefined;
  /** The button that follows new requests; only on the page with the newest row. */
  readonly follow: VNode | undefined;
  /** The state of the store, below the table. */
  readonly state: VNode | undefined;
}

/** The list of requests: one bar per request, all on one axis. Works without a script. */
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
        <RequestTable site={site} parsed={parsed} rows={page.rows} />
      )}
      <Pager {...data} />
      {data.state}
    </>
  );
}

/** Title, count, quick and active filters, the chart of the last half hour, and the button that follows. */
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
        Compare marked
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
