import { type HttpRequest, HttpResponse } from '#http';
import type { ProfileCondition, ProfileList } from '../../model/profile-query.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { stateBlocks } from '../../panels/blocks/state-blocks.js';
import { stylesOf } from '../styles/block-styles.js';
import { isToken } from '../../find/is-token.js';
import { type CountedRows, ListPage } from './list-page.js';
import { lastMinutes } from './histogram.js';
import { type ListFilters, listQuery, type ParsedFilters, parseListFilters } from './list-filters.js';
import { listStyles } from '../styles/list-styles.js';
import { protectResponse } from '../access/protect-response.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { liveScript } from '../shell/browser-script.js';
import { renderShell } from '../shell/shell.js';
import { say } from '../../words/say.js';
import type { VNode } from 'preact';
import type { Block } from '../../panels/blocks/block.js';
import { BlockList } from '../blocks/block-view.js';

/** Time limit of the counts, in milliseconds. */
const countTimeoutMs = 25;
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
  const state = stateBlocks({
    state: site.reader.state(),
    counters: site.reader.counters(),
    retention: site.retention,
  });
  const data = {
    site,
    page,
    parsed,
    counted,
    follow: news && <FollowButton position={news.position} query={request.rawQuery} />,
    saved: (await site.reader.marks?.filters().catch(() => [])) ?? undefined,
    state: <StateView blocks={state} />,
  };
  return renderShell(<ListPage data={data} />, {
    title: listTitle(filters),
    links: site.links,
    current: 'list',
    status: problems.length > 0 ? 400 : 200,
    styles: [...stylesOf(state), listStyles],
    scripts: news === undefined ? [] : [liveScript],
  });
}

/** Counts all matching records, and those per minute of the half hour before the newest row, within the time limit. */
async function countRows(
  site: ProfilerSite,
  parsed: ParsedFilters,
  rows: readonly ProfileSummary[],
): Promise<CountedRows> {
  const { bucket = 'app', where = [] } = listQuery(parsed);
  const newest = Math.max(...rows.map(({ startedAt }) => startedAt), 0);
  const steps = lastMinutes(newest);
  const begun: ProfileCondition = {
    columns: ['startedAt'],
    test: { kind: 'numbers', ranges: [[steps.from, null]] },
  };
  const bounds = { bucket, withinMs: countTimeoutMs };
  const [all, hour] = [
    await site.reader.totals({ ...bounds, where, isCountOnly: true }),
    await site.reader.totals({ ...bounds, where: [...where, begun], steps }),
  ];
  return {
    total: Math.max(rows.length, all.groups[0]?.count ?? 0),
    isExact: all.complete,
    steps,
    histogram: hour.groups[0]?.steps ?? [],
  };
}

function listTitle(filters: ListFilters): string {
  const parts = [filters.method, filters.status, filters.route, filters.q].filter((part) => part !== '');
  return parts.length === 0 ? say('Requests') : `${say('Requests')}: ${parts.join(' ')}`;
}

/** The state of the store, shown below the list. */
function StateView({ blocks }: { blocks: readonly Block[] }): VNode {
  return (
    <section class="state" aria-label={say('State of the profiler')}>
      <BlockList blocks={blocks} level={2} />
    </section>
  );
}

/** The button that starts and stops following new requests; shown by the script `live`. */
function FollowButton({ position, query }: { position: string; query: string }): VNode {
  const parameters = new URLSearchParams(query);
  parameters.delete('after');
  return (
    <span hidden data-live={`live?${parameters.toString()}`} data-after={position}>
      <button class="button" type="button" data-key="f" aria-pressed="false">
        {say('Follow')}
      </button>{' '}
      <output
        data-one={say('1 new request')}
        data-many={say('{n} new requests', { n: '{n}' })}
        data-gap={say('Some requests are not shown: reload the page')}
        data-lost={say('The connection was lost')}
      />
    </span>
  );
}
