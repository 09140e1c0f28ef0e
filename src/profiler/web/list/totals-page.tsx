import type { ComponentChildren, VNode } from 'preact';
import type { HttpResponse } from '#core/http';
import {
  type ErrorReportRow,
  reportErrors,
  reportRoutes,
  type RouteReport,
} from '../reports/record-reports.js';
import type { TotalsGroup, TotalsQuery } from '../../model/profile-query.js';
import { formatCount, formatMilliseconds } from '../../model/formatting.js';
import { formatTerm } from '../../search/parse-query.js';
import { AxisLabels, axisEnd, percent, TornEnd } from '../blocks/request-bar.js';
import { Age } from '../blocks/value-view.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { say } from '#core/phrases';

const maxGroupsShown = 200;
/** From this number of requests on, a median and a 95th percentile say something. */
const minMeasured = 5;

/** The most recent minutes, counted individually: is it still failing, is it in use now? */
const minutesShown = 10;

function lastMinutesOf({ now }: ProfilerSite): NonNullable<TotalsQuery['steps']> {
  const stepMs = 60_000;
  return { from: now() - minutesShown * stepMs, stepMs, count: minutesShown };
}

/** `GET /_profiler/routes`: each route's requests, durations and failures, slowest first. */
export async function showRoutes(site: ProfilerSite): Promise<HttpResponse> {
  const { rows, complete } = await reportRoutes(site.reader, [], { steps: lastMinutesOf(site) });
  const shown = rows.slice(0, maxGroupsShown);
  const end = axisEnd(shown.map(({ p95 }) => p95));
  const content = (
    <table class="requests totals">
      <caption class="visually-hidden">
        {`Routes. The mark is the median, the bar ends at the 95th percentile, on one axis from 0 to ${end} ms. Both need five requests; with fewer, the bar ends at the slowest.`}
      </caption>
      <thead>
        <tr>
          <th scope="col">Route</th>
          <Head words="Requests" />
          <Head words="Failed" />
          <th scope="col" class="ch">
            <span class="visually-hidden">Median and 95th percentile</span>
            <AxisLabels end={end} />
          </th>
          {['p50', 'p95', 'Slowest', 'Last 10 min'].map((words) => (
            <Head words={words} />
          ))}
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
    content: rows.length === 0 ? <p class="empty">No requests yet.</p> : content,
    words: rows.length === 0 ? 'none' : formatCount(rows.length),
    isCut: !complete || rows.length > maxGroupsShown,
  });
}

function Head({ words }: { words: string }): VNode {
  return (
    <th scope="col" class="end">
      {words}
    </th>
  );
}

/** Allows line breaks after punctuation in a name, so that narrow windows do not cut words. */
function breakable(name: string): readonly (string | VNode)[] {
  return name.split(/(?<=[_.:/-])/).flatMap((part, at) => (at === 0 ? [part] : [<wbr />, part]));
}

function RouteRow({ row, end, site }: { row: RouteReport; end: number; site: ProfilerSite }): VNode {
  const { route, count, failed, p50, p95, slowest, steps = [] } = row;
  const q = route === null ? '-route:*' : formatTerm('route', route);
  const at = (ms: number): string => percent(Math.min(100, (ms / end) * 100));
  // A few requests' times are not a distribution.
  const hasQuantiles = count >= minMeasured;
  const figure = (content: ComponentChildren): VNode => <td class="end">{content}</td>;
  return (
    <tr>
      <td>
        <a class="mono" href={site.links.list({ q })}>
          {route === null ? 'no route' : breakable(route)}
        </a>
      </td>
      {figure(formatCount(count))}
      {figure(
        failed > 0 && (
          <a href={site.links.list({ q: `${q} status:>=500` })}>
            <b class="err">{formatCount(failed)}</b>
          </a>
        ),
      )}
      <td class="ch">
        <div class="lane">
          <svg class="req-bar" aria-hidden="true">
            <rect class="range" width={at(p95)} />
            {p95 > end && <TornEnd />}
            {hasQuantiles && <rect class="median" x={at(p50)} width="2" />}
          </svg>
        </div>
      </td>
      {figure(hasQuantiles && formatMilliseconds(p50))}
      {figure(hasQuantiles && formatMilliseconds(p95))}
      {figure(<a href={site.links.list({ q, sort: 'duration' })}>{formatMilliseconds(slowest)}</a>)}
      {figure(<Sparkline steps={steps} />)}
    </tr>
  );
}

/** Counts the distinct errors that made requests fail, for every page's bar. */
export async function countErrors({ reader }: ProfilerSite): Promise<number> {
  const { groups } = await reader.totals({
    where: [{ columns: ['errorClass'], test: { kind: 'missing' }, isNegated: true }],
    groupBy: ['fingerprint'],
  });
  return groups.filter(({ failed }) => failed > 0).length;
}

/** `GET /_profiler/errors`: errors by class and location, failures (5xx) before refusals (4xx). */
export async function showErrors(site: ProfilerSite): Promise<HttpResponse> {
  const { rows, complete } = await reportErrors(site.reader, [], { steps: lastMinutesOf(site) });
  const shown = rows.slice(0, maxGroupsShown);
  const failed = shown.filter((row) => row.failed > 0);
  const refused = shown.filter((row) => row.failed === 0);
  const groups = (of: readonly ErrorReportRow[]): VNode => (
    <ul class="groups">
      {of.map((row) => (
        <ErrorRow row={row} site={site} />
      ))}
    </ul>
  );
  const content = (
    <>
      {shown.length === 0 && <p class="empty">No errors. Errors thrown by requests are counted here.</p>}
      {failed.length > 0 && groups(failed)}
      {refused.length > 0 && (
        <>
          <div class="title-line">
            <h2>Refused</h2>
            <span class="total">{kindWords(refused)}</span>
          </div>
          {groups(refused)}
        </>
      )}
    </>
  );
  const words = failed.length === 0 ? 'none failed' : kindWords(failed);
  return page(site, 'errors', { content, words, isCut: !complete || rows.length > maxGroupsShown });
}

function kindWords(rows: readonly ErrorReportRow[]): string {
  const times = rows.reduce((sum, { count }) => sum + count, 0);
  return `${say('{n} error|{n} errors', { n: rows.length })}, ${say('{n} occurrence|{n} occurrences', { n: times })}`;
}

/**
 * One group: its count, the newest message with class and location, its request, the last minutes, and the last record.
 */
function ErrorRow({ row, site }: { row: ErrorReportRow; site: ProfilerSite }): VNode {
  const {
    error,
    location,
    fingerprint,
    message,
    request,
    count,
    failed,
    firstAt,
    lastAt,
    lastToken,
    steps = [],
  } = row;
  const now = site.now();
  const name = error ?? 'thrown after the response';
  return (
    <li class={failed > 0 ? 'is-failed' : undefined}>
      <span class="count">{formatCount(count)}</span>
      <div>
        <a class="message" href={site.links.errors(fingerprint)}>
          {message === null || message.trim() === '' ? name : message}
        </a>
        <div class="where">
          {name} ·{' '}
          {location === null ? 'no location in the application' : <span class="mono">{location}</span>}
        </div>
      </div>
      <span class="where mono" title={request ?? undefined}>
        {request}
      </span>
      <Sparkline steps={steps} />
      <span class="where">
        first <Age at={firstAt} now={now} />
      </span>
      <a href={site.links.record(lastToken, { panel: 'exception' })}>
        <Age at={lastAt} now={now} />
      </a>
    </li>
  );
}

/** Requests in the last minutes, one bar per minute, failed ones in red. */
function Sparkline({ steps }: { steps: TotalsGroup['steps'] }): VNode {
  const highest = Math.max(...steps.map(([count]) => count), 0);
  if (highest === 0) return <span />;
  const bars = (counts: readonly number[]): string =>
    counts
      .map((count, at) =>
        count === 0 ? '' : `M${at * 8 + 3} 20V${(18 - (count / highest) * 18).toFixed(1)}`,
      )
      .join('');
  return (
    <svg
      class="sparkline"
      viewBox="0 0 78 20"
      role="img"
      aria-label={`The last 10 minutes, one by one: ${steps.map(([count]) => count).join(', ')}`}
    >
      <path class="base" d="M0 19.5H78" />
      <path d={bars(steps.map(([count]) => count))} />
      <path class="bad" d={bars(steps.map(([, failed]) => failed))} />
    </svg>
  );
}

function page(
  { links }: ProfilerSite,
  view: 'routes' | 'errors',
  { content, words, isCut }: { content: VNode; words: string; isCut: boolean },
): HttpResponse {
  const title = view === 'routes' ? 'Routes' : 'Errors';
  return renderShell(
    <>
      <div class="title-line">
        <h1>{title}</h1>
        <span class="total">{words}</span>
        {isCut && <span class="warn">There are more: the count stopped at its bound.</span>}
      </div>
      {content}
    </>,
    { title, links, current: view },
  );
}
