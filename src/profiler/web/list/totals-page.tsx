import type { VNode } from 'preact';
import type { HttpResponse } from '#http';
import { durationQuantile, type ProfileTotals } from '../../model/profile-totals.js';
import { formatAge, formatCount, formatMilliseconds, isoTime } from '../../panels/blocks/format.js';
import { formatTerm } from '../../query/parse-query.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { dataStyles } from '../styles/block-styles.js';
import { listStyles } from '../styles/list-styles.js';

type Group = ProfileTotals['groups'][number];

const endAlignedColumns: ReadonlySet<string> = new Set([
  'Requests',
  'p50',
  'p95',
  'Failed',
  'Count',
  'First',
  'Last',
]);
/** Groups that a page shows, the largest first. */
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
            {typeof route === 'string' ? route : 'no route'}
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
  const heads = ['Route', 'Requests', 'p50', 'p95', 'Failed'];
  return page(site, { title: 'Routes', totals, heads, rows, note: 'Durations are rounded to 5 %.' });
}

/** `GET /_profiler/errors`: what was thrown, by class and place. */
export async function showErrors(site: ProfilerSite): Promise<HttpResponse> {
  const now = site.now();
  const totals = await site.reader.totals({
    groupBy: ['errorClass', 'errorPlace'],
    where: [{ columns: ['errorClass'], test: { kind: 'missing' }, isNegated: true }],
    steps: { from: now - 86_400_000, stepMs: 3_600_000, count: 24 },
  });
  const rows = totals.groups.slice(0, maxGroupsShown).map((group) => <ErrorRow group={group} site={site} />);
  const heads = ['Error', 'Place', 'Count', 'Last 24 hours', 'First', 'Last'];
  return page(site, { title: 'Errors', totals, heads, rows, note: 'Grouped by class and place.' });
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
          {name ?? 'thrown late'}
        </a>
      </td>
      <td class="mono">{place ?? <span class="muted">no place in the application</span>}</td>
      <td class="end">{formatCount(group.count)}</td>
      <td>
        <Sparkline counts={group.steps.map(([count]) => count)} />
      </td>
      <td class="end">
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
    <svg class="sparkline" viewBox="0 0 92 20" role="img" aria-label={`By the hour: ${counts.join(', ')}`}>
      <path d={path.join('')} />
    </svg>
  );
}

function page(
  { links }: ProfilerSite,
  content: { title: string; totals: ProfileTotals; heads: readonly string[]; rows: VNode[]; note: string },
): HttpResponse {
  const { title, totals, heads, rows, note } = content;
  const isCut = !totals.complete || totals.groups.length > maxGroupsShown;
  return renderShell(
    <>
      <div class="title-line">
        <h1>{title}</h1>
        <p class="muted">
          {note}
          {isCut && ' There are more: the count stopped at its bound.'}
        </p>
        <ListViews links={links} current={title} />
      </div>
      {rows.length === 0 ? (
        <p class="empty">There are none.</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label={title}>
          <table class="requests totals">
            <caption class="visually-hidden">{title}</caption>
            <thead>
              <tr>
                {heads.map((head) => (
                  <th scope="col" class={endAlignedColumns.has(head) ? 'end' : undefined}>
                    {head}
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

/** The views of what is recorded. */
export function ListViews({ links, current }: { links: ProfilerSite['links']; current: string }): VNode {
  const views = [
    ['Application', links.list()],
    ['Profiler requests', links.list({ own: '1' })],
    ['Routes', links.totals('routes')],
    ['Errors', links.totals('errors')],
  ] as const;
  return (
    <nav class="filters" aria-label="Views">
      {views.map(([name, href]) => (
        <a href={href} aria-current={name === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
