import type { VNode } from 'preact';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { FilterForm } from './filter-form.js';
import type { FilterProblem, ListFilters } from './list-filters.js';
import type { ProfilerLinks } from '../site/links.js';
import { RequestRow } from './request-row.js';

/** What the list shows. */
export interface ListPageData {
  readonly rows: readonly ProfileSummary[];
  readonly filters: ListFilters;
  /** Why nothing was searched for; empty where something was. */
  readonly problems: readonly FilterProblem[];
  readonly links: ProfilerLinks;
  /** Where the next page begins; undefined on the last. */
  readonly next: string | null;
  /** False where the search stopped before it had looked at everything. */
  readonly complete: boolean;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
  /** The state of the store, below the table. */
  readonly state: VNode;
}

/** The list of requests, newest first: a form of filters, one line a request, links to page. Works without a script. */
export function ListPage({ data }: { data: ListPageData }): VNode {
  const { rows, filters, links, problems } = data;
  return (
    <>
      <div class="title-line">
        <h1>Requests</h1>
        <p class="muted">
          {countWords(data)}
          {data.complete ? '' : '; the search stopped early, older requests may match too'}
        </p>
        <nav class="filters" aria-label="Whose requests">
          <a
            href={links.list({ ...filters, before: '', own: '' })}
            aria-current={filters.own === '' ? 'page' : undefined}
          >
            Application
          </a>
          <a
            href={links.list({ ...filters, before: '', own: '1' })}
            aria-current={filters.own === '1' ? 'page' : undefined}
          >
            Profiler requests
          </a>
        </nav>
      </div>
      <FilterForm filters={filters} problems={data.problems} links={links} />
      {problems.length > 0 ? (
        <p class="note note-error" role="alert">
          Nothing was searched for: {problems.length === 1 ? 'a filter' : `${problems.length} filters`} cannot
          be applied. Correct what is marked, or <a href={links.list()}>show all requests</a>.
        </p>
      ) : rows.length === 0 ? (
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

function countWords({ rows, problems }: ListPageData): string {
  if (problems.length > 0) return 'not searched';
  return rows.length === 0 ? 'none found' : `${rows.length} shown, newest first`;
}

function isFiltered(filters: ListFilters): boolean {
  return Object.entries(filters).some(([name, value]) => name !== 'own' && value !== '');
}

function RequestTable({ data }: { data: ListPageData }): VNode {
  const { rows, filters, links, now } = data;
  const slowest = Math.max(1, ...rows.map((row) => row.durationMs));
  return (
    <div class="scroll">
      <table class="requests">
        <caption class="visually-hidden">Requests, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Method</th>
            <th scope="col">URL</th>
            <th scope="col" class="minor">
              Route
            </th>
            <th scope="col" class="end">
              Duration
            </th>
            <th scope="col" class="minor">
              Client
            </th>
            <th scope="col" class="end">
              Age
            </th>
            <th scope="col">Token</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <RequestRow row={row} slowest={slowest} filters={filters} links={links} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Pager({ data: { filters, links, next } }: { data: ListPageData }): VNode {
  return (
    <nav class="pager" aria-label="Pages of the list">
      {filters.before !== '' && (
        <a class="button" href={links.list({ ...filters, before: '' })}>
          Newest
        </a>
      )}
      {next !== null && (
        <a class="button" rel="next" href={links.list({ ...filters, before: next })}>
          Older requests
        </a>
      )}
    </nav>
  );
}
