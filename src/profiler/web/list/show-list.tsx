import type { HttpRequest } from '#http';
import { HttpResponse } from '#http';
import type { ProfileList } from '../../model/profile-query.js';
import { stateBlocks } from '../../panels/blocks/state-blocks.js';
import { stylesOf } from '../styles/block-styles.js';
import { isToken } from '../lookup/find-record.js';
import { ListPage } from './list-page.js';
import { type ListFilters, parseListFilters } from './list-filters.js';
import { listStyles } from '../styles/list-styles.js';
import { listQuery } from './list-query.js';
import { protectResponse } from '../access/protect-response.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { renderShell } from '../shell/shell.js';
import { StateView } from '../blocks/state-view.js';

const nothing: ProfileList = { rows: [], next: null, complete: true };

/**
 * `GET /_profiler/`: the list; `q` (the search box) leads to the record of that token, else filters by URL. A filter that
 * cannot be applied is answered 400, with the form that says why.
 */
export async function showList(site: ProfilerSite, request: HttpRequest): Promise<HttpResponse> {
  const search = (request.query.get('q') ?? '').trim().slice(0, 300);
  if (search !== '') return searchFor(site, search);
  const { filters, problems } = parseListFilters(request.query);
  const page = problems.length > 0 ? nothing : await site.reader.list(listQuery(filters, site.now()));
  const state = stateBlocks({
    state: site.reader.state(),
    counters: site.reader.counters(),
    retention: site.retention,
  });
  const data = {
    rows: page.rows,
    next: page.next,
    complete: page.complete,
    filters,
    problems,
    links: site.links,
    now: site.now(),
    state: <StateView blocks={state} />,
  };
  return renderShell(<ListPage data={data} />, {
    title: listTitle(filters),
    links: site.links,
    current: 'list',
    status: problems.length > 0 ? 400 : 200,
    styles: [...stylesOf(state), listStyles],
  });
}

async function searchFor(site: ProfilerSite, search: string): Promise<HttpResponse> {
  const found = isToken(search) && (await site.reader.find(search)).kind === 'found';
  const location = found ? site.links.record(search) : site.links.list({ url: search });
  return protectResponse(new HttpResponse(null, { status: 302, headers: { Location: location } }));
}

function listTitle(filters: ListFilters): string {
  const parts = [filters.method, filters.status, filters.url, filters.route].filter((part) => part !== '');
  return parts.length === 0 ? 'Requests' : `Requests: ${parts.join(' ')}`;
}
