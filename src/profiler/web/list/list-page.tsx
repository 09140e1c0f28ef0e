import type { VNode } from 'preact';
import { ActiveFilters, FilterForm, RefusedFilters } from './filter-form.js';
import type { ProfileList } from '../../model/profile-query.js';
import { type CountedRows, Histogram } from './histogram.js';
import { type ListFilters, type ParsedFilters, withTerms } from './list-filters.js';
import { say } from '#phrases';
import { ActionForm } from '../blocks/controls.js';
import { AxisLabels } from '../blocks/request-bar.js';
import type { ProfilerLinks } from '../site/links.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { type FoldedAssets, foldAssets } from './fold-assets.js';
import { RequestRow, type SharedRowProps, sharedRowProps } from './request-row.js';

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
export function ListPage({ data }: { data: ListPageData }): VNode {
  const { site, page, parsed } = data;
  const { links } = site;
  const { filters, problems } = parsed;
  return (
    <>
      <TitleLine data={data} />
      {problems.length > 0 ? (
        <RefusedFilters parsed={parsed} links={links} />
      ) : page.rows.length === 0 ? (
        <p class="empty">
          No request matches.{' '}
          {isFiltered(filters) && <a href={links.list({ own: filters.own })}>Show all requests</a>}
        </p>
      ) : (
        <RequestTable data={data} />
      )}
      <Pager data={data} />
      {data.state}
    </>
  );
}

/** Title, count, quick and active filters, the chart of the last half hour, and the button that follows. */
function TitleLine({ data }: { data: ListPageData }): VNode {
  const { site, page, parsed, counted } = data;
  const { links } = site;
  const { filters } = parsed;
  return (
    <div class="title-line">
      <h1>{filters.own === '1' ? 'Profiler requests' : 'Requests'}</h1>
      <span class="total">{countWords(data)}</span>
      {counted !== undefined && <QuickFilters counted={counted} parsed={parsed} links={links} />}
      <ActiveFilters parsed={parsed} links={links} />
      <FilterForm parsed={parsed} links={links} />
      {!page.complete && <span class="warn">The search stopped early: older requests may match too.</span>}
      {counted !== undefined && <Histogram counted={counted} parsed={parsed} links={links} />}
      {data.follow}
    </div>
  );
}

function QuickFilters(props: { counted: CountedRows; parsed: ParsedFilters; links: ProfilerLinks }): VNode {
  const { counted, parsed, links } = props;
  const quick = (words: string, count: number, term: string, tone: string): VNode | null =>
    count === 0 || parsed.filters.q.includes(term) ? null : (
      <a class="button opt" href={links.list(withTerms(parsed, term))}>
        <span class={tone}>{say(words, { n: count })}</span>
      </a>
    );
  return (
    <>
      {quick('{n} failed', counted.failed, 'status:>=500', 'err')}
      {quick('{n} slow', counted.slow, 'has:slow', 'warn')}
    </>
  );
}

function countWords({ page: { rows }, parsed, counted }: ListPageData): string {
  if (parsed.problems.length > 0) return 'not searched';
  if (rows.length === 0 || counted === undefined) return 'none';
  const count = counted.isExact ? '{n}' : '{n} or more';
  return `${say(count, { n: counted.total })}${orderWords(parsed)}`;
}

function orderWords({ sort, filters }: ParsedFilters): string {
  if (sort === undefined) return '';
  const column = { column: filters.sort.replace('-', '') };
  return sort.isAscending
    ? say(', by {column}, smallest first', column)
    : say(', by {column}, largest first', column);
}

function isFiltered(filters: ListFilters): boolean {
  return Object.entries(filters).some(([name, value]) => name !== 'own' && name !== 'assets' && value !== '');
}

function RequestTable({ data }: { data: ListPageData }): VNode {
  const { rows } = data.page;
  const shared = sharedRowProps(data.site, data.parsed, rows);
  return (
    <form id="compare" action={shared.links.compareForm()}>
      <table class="requests">
        <caption class="visually-hidden">
          {`Requests. Their bars share one axis, 0 to ${shared.end} ms; a torn end means longer.`}
        </caption>
        <TableHead shared={shared} />
        <tbody id="rows" tabIndex={-1}>
          {foldAssets(rows, shared.parsed.filters).map((line) =>
            'assets' in line ? (
              <AssetsRow line={line} shared={shared} />
            ) : (
              <RequestRow {...shared} row={line} />
            ),
          )}
        </tbody>
      </table>
    </form>
  );
}

/** One line for consecutive requests for assets: a link that shows each of them. */
function AssetsRow(props: { line: FoldedAssets; shared: SharedRowProps }): VNode {
  const { line, shared } = props;
  return (
    <tr>
      <td class="st" />
      <td class="me" />
      <td>
        <a class="u query" href={shared.links.list({ ...shared.parsed.filters, assets: '1' })}>
          {say('{n} assets', { n: line.assets.length })}
        </a>
      </td>
      <td class="us" />
      <td class="ch">
        <div class="lane" />
      </td>
      <td />
      <td class="ag" />
      <td class="tk" />
    </tr>
  );
}

function TableHead({ shared: { parsed, links, end } }: { shared: SharedRowProps }): VNode {
  const sorted = { filters: parsed.filters, links };
  return (
    <thead>
      <tr>
        <SortHead {...sorted} name="status" words="Status" look="st" />
        <th scope="col" class="me">
          Method
        </th>
        <th scope="col">Request</th>
        <th scope="col" class="us">
          User
        </th>
        <th scope="col" class="ch">
          <span class="visually-hidden">Where the time went</span>
          <AxisLabels end={end} />
        </th>
        <SortHead {...sorted} name="duration" words="Time" look="end ms" />
        <SortHead {...sorted} name="started" words="Age" look="end ag" />
        <th scope="col" class="end tk">
          Token
        </th>
      </tr>
    </thead>
  );
}

/** A column header that cycles the sort order: largest first, smallest first, default order. */
function SortHead(props: {
  filters: ListFilters;
  links: ProfilerLinks;
  name: string;
  words: string;
  look: string;
}): VNode {
  const { filters, links, name, words, look } = props;
  const next = filters.sort === name ? `-${name}` : filters.sort === `-${name}` ? '' : name;
  const order = filters.sort === name ? 'descending' : filters.sort === `-${name}` ? 'ascending' : undefined;
  return (
    <th scope="col" class={look} aria-sort={order}>
      <a href={links.list({ ...filters, page: '', sort: next })}>
        {words}
        {order !== undefined && <span aria-hidden="true">{order === 'descending' ? ' ↓' : ' ↑'}</span>}
      </a>
    </th>
  );
}

function Pager({ data }: { data: ListPageData }): VNode {
  const { links } = data.site;
  const { filters } = data.parsed;
  const { next } = data.page;
  const isOwn = filters.own === '1';
  return (
    <nav class="pager" aria-label="Pages of the list">
      {next !== null && (
        <a class="button" rel="next" href={links.list({ ...filters, page: next })}>
          {filters.sort === '' ? 'Older requests' : 'Next page'}
        </a>
      )}
      {filters.page !== '' && (
        <a class="button" href={links.list({ ...filters, page: '' })}>
          {filters.sort === '' ? 'Newest' : 'First page'}
        </a>
      )}
      {filters.assets === '1' && (
        <a class="button" href={links.list({ ...filters, assets: '' })}>
          Fold assets
        </a>
      )}
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
