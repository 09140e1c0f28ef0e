import type { VNode } from 'preact';
import type { HttpResponse } from '#http';
import {
  type ErrorReportRow,
  reportErrors,
  reportRoutes,
  type RouteReport,
} from '../../api/record-reports.js';
import { formatAge, formatCount, formatMilliseconds, isoTime } from '../../words/format.js';
import { formatTerm } from '../../query/parse-query.js';
import { AxisLabels, axisEnd, percent, TornEnd } from '../blocks/request-bar.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { dataStyles } from '../styles/block-styles.js';
import { listStyles, totalsStyles } from '../styles/list-styles.js';
import { say } from '#phrases';

/** Maximum groups on a page. */
const maxGroupsShown = 200;

/** `GET /_profiler/routes`: requests, durations and failures of each route, the slowest first. */
export async function showRoutes(site: ProfilerSite): Promise<HttpResponse> {
  const { rows, complete } = await reportRoutes(site.reader);
  const shown = rows.slice(0, maxGroupsShown);
  const end = axisEnd(shown.map(({ p95 }) => p95));
  const content = (
    <table class="requests totals">
      <caption class="visually-hidden">
        {`Routes. The mark is the median, the bar ends at the 95th percentile, on one axis from 0 to ${end} ms.`}
      </caption>
      <thead>
        <tr>
          <th scope="col">Route</th>
          <th scope="col" class="end">
            Requests
          </th>
          <th scope="col" class="end">
            Failed
          </th>
          <th scope="col" class="ch">
            <span class="visually-hidden">Median and 95th percentile</span>
            <AxisLabels end={end} />
          </th>
          <th scope="col" class="end">
            p50
          </th>
          <th scope="col" class="end">
            p95
          </th>
          <th scope="col" class="end">
            Slowest
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((row) => (
          <RouteRow row={row} end={end} site={site} />
        ))}
      </tbody>
    </table>
  );
  return page(site, 'routes', {
    content,
    count: rows.length,
    isCut: !complete || rows.length > maxGroupsShown,
  });
}

/** Offers breaks after the signs of a name, so that narrow windows do not cut its words. */
function breakable(name: string): readonly (string | VNode)[] {
  return name.split(/(?<=[_.:/-])/).flatMap((part, at) => (at === 0 ? [part] : [<wbr />, part]));
}

function RouteRow({ row, end, site }: { row: RouteReport; end: number; site: ProfilerSite }): VNode {
  const { route, count, failed, p50, p95, slowest } = row;
  const q = route === null ? '-route:*' : formatTerm('route', route);
  const at = (ms: number): string => percent(Math.min(100, (ms / end) * 100));
  return (
    <tr>
      <td>
        <a class="mono" href={site.links.list({ q })}>
          {route === null ? 'no route' : breakable(route)}
        </a>
      </td>
      <td class="end">{formatCount(count)}</td>
      <td class="end">
        {failed > 0 && (
          <a href={site.links.list({ q: `${q} status:>=500` })}>
            <b class="err">{formatCount(failed)}</b>
          </a>
        )}
      </td>
      <td class="ch">
        <div class="lane">
          <svg class="req-bar" aria-hidden="true">
            <rect class="range" width={at(p95)} />
            {p95 > end && <TornEnd />}
            <rect class="median" x={at(p50)} width="2" />
          </svg>
        </div>
      </td>
      <td class="end">{formatMilliseconds(p50)}</td>
      <td class="end">
        <a href={site.links.list({ q, sort: 'duration' })}>{formatMilliseconds(p95)}</a>
      </td>
      <td class="end">{formatMilliseconds(slowest)}</td>
    </tr>
  );
}

/** `GET /_profiler/errors`: errors by class and place, failures (5xx) before refusals (4xx). */
export async function showErrors(site: ProfilerSite): Promise<HttpResponse> {
  const { rows, complete } = await reportErrors(site.reader, [], { steps: lastDay(site.now()) });
  const shown = rows
    .slice(0, maxGroupsShown)
    .toSorted((a, b) => Number(b.failed > 0) - Number(a.failed > 0) || b.count - a.count);
  const content = (
    <ul class="groups">
      {shown.map((row) => (
        <ErrorRow row={row} site={site} />
      ))}
    </ul>
  );
  return page(site, 'errors', {
    content,
    count: rows.length,
    isCut: !complete || rows.length > maxGroupsShown,
  });
}

function lastDay(now: number): { from: number; stepMs: number; count: number } {
  return { from: now - 86_400_000, stepMs: 3_600_000, count: 24 };
}

/** One group: how many, the newest message with class and place, the last day, and the last record. */
function ErrorRow({ row, site }: { row: ErrorReportRow; site: ProfilerSite }): VNode {
  const { error, place, message, count, failed, firstAt, lastAt, lastToken, steps } = row;
  const terms = [
    error === null ? '-class:*' : formatTerm('class', error),
    place === null ? '-place:*' : formatTerm('place', place),
  ];
  const now = site.now();
  return (
    <li class={failed > 0 ? 'is-failed' : undefined}>
      <span class="count">{formatCount(count)}</span>
      <div>
        <a class="message" href={site.links.list({ q: terms.join(' ') })}>
          {message === null || message.trim() === '' ? (error ?? 'thrown after the response') : message}
        </a>
        <div class="where">
          {error ?? 'thrown after the response'} ·{' '}
          {place === null ? 'no place in the application' : <span class="mono">{place}</span>}
        </div>
      </div>
      <Sparkline counts={steps.map(([hour]) => hour)} />
      <span class="where">
        first <Age at={firstAt} now={now} />
      </span>
      <a href={site.links.record(lastToken, { panel: 'exception' })}>
        <Age at={lastAt} now={now} />
      </a>
    </li>
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
  const columns = counts.map((count, at) =>
    count === 0 ? '' : `M${at * 4 + 1} 19V${(17 - (count / highest) * 17).toFixed(1)}`,
  );
  return (
    <svg
      class="sparkline"
      viewBox="0 0 94 20"
      role="img"
      aria-label={say('The last 24 hours, by the hour: {counts}', { counts: counts.join(', ') })}
    >
      <path class="base" d="M0 19.5H94" />
      <path d={columns.join('')} />
    </svg>
  );
}

const titles = { routes: 'Routes', errors: 'Errors' } as const;

function page(
  { links }: ProfilerSite,
  view: keyof typeof titles,
  { content, count, isCut }: { content: VNode; count: number; isCut: boolean },
): HttpResponse {
  const title = titles[view];
  return renderShell(
    <>
      <div class="title-line">
        <h1>{title}</h1>
        <span class="total">{count === 0 ? 'none' : formatCount(count)}</span>
        {isCut && <span class="warn">There are more: the count stopped at its bound.</span>}
      </div>
      {count === 0 ? (
        <p class="empty">
          {view === 'errors' ? 'No errors. What requests throw is counted here.' : 'No requests yet.'}
        </p>
      ) : (
        content
      )}
    </>,
    { title, links, current: view, styles: [dataStyles, listStyles, totalsStyles] },
  );
}
