import type { VNode } from 'preact';
import type { SavedFilter } from '../../model/record-marks.js';
import { ActiveFilters, FilterForm, SavedFilters } from './filter-form.js';
import type { ProfileList } from '../../model/profile-query.js';
import type { TotalsGroup } from '../../model/profile-totals.js';
import { Histogram, type HistogramSteps } from './histogram.js';
import type { ListFilters, ParsedFilters } from './list-filters.js';
import { say } from '../../words/say.js';
import { ActionForm } from '../blocks/action-form.js';
import type { ProfilerLinks } from '../site/links.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { RequestRow, sharedRowProps } from './request-row.js';
import { ListViews } from './totals-page.js';

/** Counts shown in addition to the rows of the page. */
export interface CountedRows {
  readonly total: number;
  /** False if `total` is only a lower bound. */
  readonly isExact: boolean;
  readonly steps: HistogramSteps;
  readonly histogram: TotalsGroup['steps'];
}

/** Data of the list page. */
export interface ListPageData {
  readonly site: ProfilerSite;
  /** Has no rows if there are problems, since nothing was searched then. */
  readonly page: ProfileList;
  readonly parsed: ParsedFilters;
  readonly counted: CountedRows | undefined;
  /** The button that follows new requests; only on the page with the newest row. */
  readonly follow: VNode | undefined;
  /** Absent if the store does not support saved filters. */
  readonly saved: readonly SavedFilter[] | undefined;
  /** The state of the store, below the table. */
  readonly state: VNode;
}

/** The list of requests: filters, requests per minute, one row per request, page links. Works without a script. */
export function ListPage({ data }: { data: ListPageData }): VNode {
  const { site, page, parsed, counted } = data;
  const { links } = site;
  const { filters, problems } = parsed;
  const damaged = page.damaged ?? 0;
  return (
    <>
      <div class="title-line">
        <h1>{say('Requests')}</h1>
        <p class="muted">
          {countWords(data)}
          {damaged === 0
            ? ''
            : `; ${say('{n} record cannot be read|{n} records cannot be read', { n: damaged })}`}
          {page.complete ? '' : `; ${say('the search stopped early, older requests may match too')}`}
        </p>
        {data.follow}
        <ListViews links={links} current={filters.own === '1' ? 'own' : 'app'} />
      </div>
      <FilterForm filters={filters} problems={problems} links={links} collected={site.reader.collected} />
      <ActiveFilters parsed={parsed} links={links} />
      {data.saved !== undefined && <SavedFilters saved={data.saved} filters={filters} links={links} />}
      {counted !== undefined && (
        <Histogram steps={counted.steps} counted={counted.histogram} filters={filters} links={links} />
      )}
      {problems.length > 0 ? (
        <p class="note note-error" role="alert">
          {say(
            'Nothing was searched for: {n} filter cannot be applied.|Nothing was searched for: {n} filters cannot be applied.',
            { n: problems.length },
          )}{' '}
          <a href={links.list()}>{say('Show all requests')}</a>
        </p>
      ) : page.rows.length === 0 ? (
        <p class="empty">
          {say('No request matches.')}{' '}
          {isFiltered(filters) && <a href={links.list({ own: filters.own })}>{say('Show all requests')}</a>}
        </p>
      ) : (
        <RequestTable data={data} />
      )}
      <Pager data={data} />
      {data.state}
    </>
  );
}

function countWords({ page: { rows }, parsed, counted }: ListPageData): string {
  if (parsed.problems.length > 0) return say('not searched');
  if (rows.length === 0 || counted === undefined) return say('none found');
  const amount = { n: rows.length, total: counted.total };
  const count = counted.isExact ? say('{n} of {total}', amount) : say('{n} of {total} or more', amount);
  return `${count}, ${orderWords(parsed)}`;
}

function orderWords({ sort, filters }: ParsedFilters): string {
  if (sort === undefined) return say('newest first');
  const column = { column: filters.sort.replace('-', '') };
  return sort.isAscending
    ? say('by {column}, smallest first', column)
    : say('by {column}, largest first', column);
}

function isFiltered(filters: ListFilters): boolean {
  return Object.entries(filters).some(([name, value]) => name !== 'own' && value !== '');
}

function RequestTable({ data }: { data: ListPageData }): VNode {
  const { rows } = data.page;
  const shared = sharedRowProps(data.site, data.parsed.filters, rows);
  const sorted = { filters: shared.filters, links: shared.links };
  return (
    <div class="scroll">
      <table class="requests">
        <caption class="visually-hidden">{say('Requests')}</caption>
        <thead>
          <tr>
            <SortHead {...sorted} name="status" words={say('Status')} />
            <th scope="col">{say('Request')}</th>
            <th scope="col">{say('Problems')}</th>
            <th scope="col" class="minor">
              {say('Route')}
            </th>
            <th scope="col" class="minor">
              {say('User')}
            </th>
            {shared.hasQueries && <SortHead {...sorted} name="queries" words={say('Queries')} />}
            <SortHead {...sorted} name="duration" words={say('Duration')} />
            <SortHead {...sorted} name="started" words={say('Age')} />
            <th scope="col">{say('Token')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <RequestRow {...shared} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A column header that cycles the sort order: largest first, smallest first, default order. */
function SortHead(props: { filters: ListFilters; links: ProfilerLinks; name: string; words: string }): VNode {
  const { filters, links, name, words } = props;
  const next = filters.sort === name ? `-${name}` : filters.sort === `-${name}` ? '' : name;
  const order = filters.sort === name ? 'descending' : filters.sort === `-${name}` ? 'ascending' : undefined;
  return (
    <th scope="col" class={name === 'status' ? undefined : 'end'} aria-sort={order}>
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
  return (
    <nav class="pager" aria-label={say('Pages of the list')}>
      <form id="compare" action={links.compareForm()}>
        <button class="button" type="submit">
          {say('Compare marked')}
        </button>
      </form>
      <ActionForm
        action={links.purge(filters.own === '' ? 'app' : 'profiler')}
        label={say('Delete all records…')}
        buttonClass="button"
      />
      {filters.page !== '' && (
        <a class="button" href={links.list({ ...filters, page: '' })}>
          {filters.sort === '' ? say('Newest') : say('First page')}
        </a>
      )}
      {next !== null && (
        <a class="button" rel="next" href={links.list({ ...filters, page: next })}>
          {filters.sort === '' ? say('Older requests') : say('Next page')}
        </a>
      )}
    </nav>
  );
}
