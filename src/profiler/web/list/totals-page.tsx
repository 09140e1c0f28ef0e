import type { VNode } from 'preact';
import type { HttpResponse } from '#http';
import { durationQuantile, type ProfileTotals } from '../../model/profile-totals.js';
import { formatAge, formatCount, formatMilliseconds, isoTime } from '../../words/format.js';
import { formatTerm } from '../../query/parse-query.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { dataStyles } from '../styles/block-styles.js';
import { listStyles } from '../styles/list-styles.js';
import { say } from '../../words/say.js';

type Group = ProfileTotals['groups'][number];

/** Maximum groups on a page. */
const maxGroupsShown = 200;

/** `GET /_profiler/routes`: requests, durations and failures of each route. */
export async function showRoutes(site: ProfilerSite): Promise<HttpResponse> {
  const totals = await site.reader.totals({ groupBy: ['route'] });
  const rows = totals.groups.slice(0, maxGroupsShown).map((group) => {
    const [route] = group.values;
    const q = typeof route === 'string' ? formatTerm('route', route) : '-route:*';
    return (
      <tr>
        <td>
          <a class="mono" href={site.links.list({ q })}>
            {typeof route === 'string' ? route : say('no route')}
          </a>
        </td>
        <td class="end">{formatCount(group.count)}</td>
        <td class="end">{formatMilliseconds(durationQuantile(group.durations, 0.5))}</td>
        <td class="end">
          <a href={site.links.list({ q, sort: 'duration' })}>
            {formatMilliseconds(durationQuantile(group.durations, 0.95))}
          </a>
        </td>
        <td class="end">{group.failed === 0 ? '0' : <b class="err">{formatCount(group.failed)}</b>}</td>
      </tr>
    );
  });
  const heads: readonly Head[] = [
    [say('Route')],
    [say('Requests'), 'end'],
    ['p50', 'end'],
    ['p95', 'end'],
    [say('Failed'), 'end'],
  ];
  const note = say('Durations are rounded to 5 %.');
  return page(site, { view: 'routes', totals, heads, rows, note });
}

/** `GET /_profiler/errors`: exceptions by class and place. */
export async function showErrors(site: ProfilerSite): Promise<HttpResponse> {
  const now = site.now();
  const totals = await site.reader.totals({
    groupBy: ['errorClass', 'errorPlace'],
    where: [{ columns: ['errorClass'], test: { kind: 'missing' }, isNegated: true }],
    steps: { from: now - 86_400_000, stepMs: 3_600_000, count: 24 },
  });
  const rows = totals.groups.slice(0, maxGroupsShown).map((group) => <ErrorRow group={group} site={site} />);
  const heads: readonly Head[] = [
    [say('Error')],
    [say('Place')],
    [say('Count'), 'end'],
    [say('Last 24 hours'), 'minor'],
    [say('First'), 'end minor'],
    [say('Last'), 'end'],
  ];
  return page(site, { view: 'errors', totals, heads, rows, note: say('Grouped by class and place.') });
}

function ErrorRow({ group, site }: { group: Group; site: ProfilerSite }): VNode {
  const [name, place] = group.values.map((value) => (typeof value === 'string' ? value : undefined));
  const terms = [
    name === undefined ? '-class:*' : formatTerm('class', name),
    place === undefined ? '-place:*' : formatTerm('place', place),
  ];
  const now = site.now();
  return (
    <tr>
      <td>
        <a class="mono" href={site.links.list({ q: terms.join(' ') })}>
          {name ?? say('thrown late')}
        </a>
      </td>
      <td class="mono">{place ?? <span class="muted">{say('no place in the application')}</span>}</td>
      <td class="end">{formatCount(group.count)}</td>
      <td class="minor">
        <Sparkline counts={group.steps.map(([count]) => count)} />
      </td>
      <td class="end minor">
        <Age at={group.firstAt} now={now} />
      </td>
      <td class="end">
        <a href={site.links.record(group.lastToken, { panel: 'exception' })}>
          <Age at={group.lastAt} now={now} />
        </a>
      </td>
    </tr>
  );
}

function Age({ at, now }: { at: number; now: number }): VNode {
  return (
    <time dateTime={isoTime(at)} data-age="">
      {formatAge(now - at)}
    </time>
  );
}

function Sparkline({ counts }: { counts: readonly number[] }): VNode {
  const highest = Math.max(1, ...counts);
  const path = counts.map(
    (count, at) => `${at === 0 ? 'M' : 'L'}${at * 4} ${(19 - (count / highest) * 18).toFixed(1)}`,
  );
  return (
    <svg
      class="sparkline"
      viewBox="0 0 92 20"
      role="img"
      aria-label={say('By the hour: {counts}', { counts: counts.join(', ') })}
    >
      <path d={path.join('')} />
    </svg>
  );
}

function page(
  { links }: ProfilerSite,
  content: {
    view: 'routes' | 'errors';
    totals: ProfileTotals;
    heads: readonly Head[];
    rows: VNode[];
    note: string;
  },
): HttpResponse {
  const { view, totals, heads, rows, note } = content;
  const title = viewName(view);
  const isCut = !totals.complete || totals.groups.length > maxGroupsShown;
  return renderShell(
    <>
      <div class="title-line">
        <h1>{title}</h1>
        <p class="muted">
          {note}
          {isCut && ` ${say('There are more: the count stopped at its bound.')}`}
        </p>
        <ListViews links={links} current={view} />
      </div>
      {rows.length === 0 ? (
        <p class="empty">{say('There are none.')}</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label={title}>
          <table class="requests totals">
            <caption class="visually-hidden">{title}</caption>
            <thead>
              <tr>
                {heads.map(([words, className]) => (
                  <th scope="col" class={className}>
                    {words}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{rows}</tbody>
          </table>
        </div>
      )}
    </>,
    { title, links, styles: [dataStyles, listStyles] },
  );
}

/** A column header; `end` aligns numbers, `minor` hides the column in narrow windows. */
type Head = readonly [words: string, className?: 'end' | 'minor' | 'end minor'];

type View = 'app' | 'own' | 'routes' | 'errors';

function viewName(view: View): string {
  if (view === 'app') return say('Application');
  if (view === 'own') return say('Profiler requests');
  return view === 'routes' ? say('Routes') : say('Errors');
}

/** Links to the views of the recorded requests. */
export function ListViews({ links, current }: { links: ProfilerSite['links']; current: View }): VNode {
  const views = [
    ['app', links.list()],
    ['own', links.list({ own: '1' })],
    ['routes', links.totals('routes')],
    ['errors', links.totals('errors')],
  ] as const;
  return (
    <nav class="filters" aria-label={say('Views')}>
      {views.map(([view, href]) => (
        <a href={href} aria-current={view === current ? 'page' : undefined}>
          {viewName(view)}
        </a>
      ))}
    </nav>
  );
}
