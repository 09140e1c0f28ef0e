import { type HttpRequest, HttpResponse } from '#http';
import { renderComparisonMarkdown } from '../../api/render-record-markdown.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../../panels/blocks/block.js';
import { categoryWords, formatAge, formatMilliseconds, isoTime } from '../../words/format.js';
import { compareBlocks } from '../../panels/compare/compare-blocks.js';
import {
  type RecordPair,
  compareParts,
  compareQueries,
  describeChange,
  describeRatio,
} from '../../panels/compare/compare-records.js';
import { protectResponse } from '../access/protect-response.js';
import { Missing, getRecord } from '../lookup/get-record.js';
import { panelBlocks, panelContext } from '../record/show-record.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { stylesOf } from '../styles/block-styles.js';
import { compareStyles, recordStyles } from '../styles/record-styles.js';
import { say } from '#phrases';
import type { VNode } from 'preact';
import { BlockList, Figure } from '../blocks/block-view.js';
import { CategoryMark, percent } from '../blocks/request-bar.js';
import { StatusChip } from '../blocks/status.js';
import { splitUrl } from '../site/links.js';

/** `GET /_profiler/compare/{first}/{second}`: the differences of two records by panel; with `?format=md` as Markdown. */
export async function showComparison(
  site: ProfilerSite,
  request: HttpRequest,
  names: readonly string[],
): Promise<HttpResponse> {
  const [first, second] = names.length > 0 ? names : request.query.getAll('t');
  if (first === undefined || second === undefined)
    throw new Missing({
      status: 404,
      kind: 'malformed',
      title: 'Mark two requests to compare them',
      detail: 'Mark two rows of the list by their boxes, or by the key c, and press Compare.',
    });
  if (names.length === 0) return protectResponse(HttpResponse.redirect(site.links.compare(first, second)));
  const a = await getRecord(site, first);
  const b = await (second === 'last-good' ? getLastGood(site, a) : getRecord(site, second));
  const isMarkdown = request.query.get('format') === 'md';
  if (second !== b.token && !isMarkdown)
    return protectResponse(HttpResponse.redirect(site.links.compare(a.token, b.token)));
  const pair: RecordPair = a.startedAt <= b.startedAt ? [a, b] : [b, a];
  const panels = differences(site, request, pair);
  if (isMarkdown) {
    const headers = { 'Content-Type': 'text/markdown; charset=utf-8' };
    return protectResponse(new HttpResponse(renderComparisonMarkdown(pair, panels), { headers }));
  }
  return renderShell(<ComparisonPage pair={pair} panels={panels} site={site} />, {
    title: `Two requests compared: ${a.token}, ${b.token}`,
    links: site.links,
    styles: [...stylesOf(panels.flatMap(({ blocks }) => blocks)), recordStyles, compareStyles],
  });
}

/** Returns the newest record of the same route and method with a status below 400 and no exception. Throws `Missing` if none. */
async function getLastGood(
  site: ProfilerSite,
  { token, route, request: { method } }: ProfileRecord,
): Promise<ProfileRecord> {
  const { rows } = await site.reader.list({
    where: [
      { columns: ['route'], test: { kind: 'is', texts: [route?.name ?? ''] } },
      { columns: ['method'], test: { kind: 'is', texts: [method] } },
      { columns: ['status'], test: { kind: 'numbers', ranges: [[100, 399]] } },
      { columns: ['errorClass'], test: { kind: 'missing' } },
    ],
    limit: 2,
  });
  const good = rows.find((row) => row.token !== token);
  if (good !== undefined) return getRecord(site, good.token);
  throw new Missing({
    status: 404,
    kind: 'never',
    title: 'No other request of this route went well',
    detail: say('No record of the route “{route}” was answered below 400 with nothing thrown.', {
      route: (route?.name ?? '–').slice(0, 100),
    }),
    choices: [{ label: 'Back to the record', href: site.links.record(token) }],
  });
}

function differences(
  site: ProfilerSite,
  request: HttpRequest,
  [a, b]: RecordPair,
): readonly PanelDifference[] {
  const [ofA, ofB] = [panelContext(site, request, a), panelContext(site, request, b)];
  // Everything in the overview is in other panels too.
  const panels = site.panels.filter(({ id }) => id !== 'overview');
  return panels.map((panel) => ({
    title: panel.title,
    blocks: compareBlocks(panelBlocks(panel, a, ofA), panelBlocks(panel, b, ofB)),
  }));
}

/** Differences of one panel; `blocks` is empty if there are none. */
interface PanelDifference {
  readonly title: string;
  readonly blocks: readonly Block[];
}

interface ComparisonProps {
  readonly pair: RecordPair;
  readonly panels: readonly PanelDifference[];
  readonly site: ProfilerSite;
}

/** Whether only one of the records failed: its time is then neither better nor worse than the other's. */
function isOtherOutcome(pair: RecordPair): boolean {
  const [before, after] = pair.map(({ response }) => response === null || response.status >= 400);
  return before !== after;
}

/** Two records: how much longer the later one took, what made the difference, and what else differs. */
function ComparisonPage({ pair, panels, site }: ComparisonProps): VNode {
  const [before, after] = pair;
  const delta = after.durationMs - before.durationMs;
  const [figure, unit] = formatMilliseconds(Math.abs(delta)).split(' ');
  const differing = panels.filter(({ blocks }) => blocks.length > 0);
  const same = panels.filter(({ blocks }) => blocks.length === 0).map(({ title }) => title);
  return (
    <>
      <section class="pair" aria-label="The two records">
        <ComparedRecord name="Before" record={before} site={site} />
        <ComparedRecord name="After" record={after} site={site} />
      </section>
      <div class="comparison panel">
        <h1 class="visually-hidden">Two requests compared</h1>
        <section class="hero" aria-label="Answer">
          <Figure
            figure={`${delta < 0 ? '−' : '+'}${figure}`}
            unit={unit}
            usual={describeRatio(pair)}
            tone={isOtherOutcome(pair) ? undefined : delta < 0 ? 'less-time' : 'more-time'}
          />
          <p class="answer">{describeChange(pair)}</p>
        </section>
        <Parts pair={pair} />
        <Queries pair={pair} />
        {differing.length > 0 && (
          <section class="section differences">
            <div class="head">
              <h2>What else differs</h2>
              <span class="muted">{say('{n} panel|{n} panels', { n: differing.length })}</span>
            </div>
            {differing.map(({ title, blocks }) => (
              <details class="section">
                <summary>
                  <h3>{title}</h3>
                </summary>
                <BlockList blocks={blocks} level={4} />
              </details>
            ))}
          </section>
        )}
        {same.length > 0 && <p class="same">{`Same in both: ${same.join(', ')}`}</p>}
      </div>
    </>
  );
}

function ComparedRecord(props: { name: string; record: ProfileRecord; site: ProfilerSite }): VNode {
  const { name, record, site } = props;
  const { method, url } = record.request;
  const address = `${method} ${splitUrl(url).join('')}`;
  return (
    <div>
      {name} ·{' '}
      <time dateTime={isoTime(record.startedAt)} data-age="">
        {formatAge(site.now() - record.startedAt)}
      </time>{' '}
      · <span class="mono">{record.token}</span>
      <h2>
        {formatMilliseconds(record.durationMs)}
        <StatusChip status={record.response?.status ?? 0} />
        <a href={site.links.record(record.token)} title={address}>
          {address}
        </a>
      </h2>
    </div>
  );
}

/** The time of each kind of work in both records, the largest difference first. */
function Parts({ pair }: { pair: RecordPair }): VNode {
  const parts = compareParts(pair);
  const longest = Math.max(...parts.map(({ before, after }) => Math.max(before, after)), 0.001);
  const at = (ms: number): string => percent((ms / longest) * 100);
  return (
    <section class="section">
      <div class="head">
        <h2>Where the difference is</h2>
        <span class="muted">largest first</span>
      </div>
      <table class="parts">
        <thead>
          <PartsHead name="Part" isWide />
        </thead>
        <tbody>
          {parts.map(({ category, before, after }) => (
            <tr>
              <td class="kind">
                <CategoryMark category={category} />
                {categoryWords[category]}
              </td>
              <td class="end muted">{formatMilliseconds(before)}</td>
              <td class="end muted">{formatMilliseconds(after)}</td>
              <td class="wide">
                <div class="lane">
                  <svg aria-hidden="true">
                    <rect class="was" width={at(Math.min(before, after))} height="16" />
                    <rect
                      class={after < before ? 'gone' : `c-${category}`}
                      x={at(Math.min(before, after))}
                      width={at(Math.abs(after - before))}
                      height="16"
                    />
                  </svg>
                </div>
              </td>
              <td class="end">
                <b>{signed(after - before, formatMilliseconds)}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PartsHead({ name, isWide = false }: { name: string; isWide?: boolean }): VNode {
  return (
    <tr>
      <th scope="col" class={isWide ? 'kind' : undefined}>
        {name}
      </th>
      <th scope="col" class="end">
        Before
      </th>
      <th scope="col" class="end">
        After
      </th>
      {isWide && (
        <th scope="col" class="wide">
          <span class="visually-hidden">Change</span>
        </th>
      )}
      <th scope="col" class="end">
        Difference
      </th>
    </tr>
  );
}

function signed(difference: number, format: (value: number) => string): string {
  return `${difference < 0 ? '−' : '+'}${format(Math.abs(difference))}`;
}

/** The queries of both records, those that ran more or less often first. */
function Queries({ pair }: { pair: RecordPair }): VNode | null {
  const queries = compareQueries(pair);
  if (queries.length === 0) return null;
  const [before, after] = [sum(queries, 'before'), sum(queries, 'after')];
  return (
    <section class="section">
      <div class="head">
        <h2>Queries</h2>
        <span class="muted">{say('{before} before, {after} after', { before, after })}</span>
      </div>
      <table class="parts">
        <thead>
          <PartsHead name="Query" />
        </thead>
        <tbody>
          {queries.slice(0, maxQueries).map((query) => (
            <tr>
              <td class="sql mono" title={query.sql.slice(0, maxTitle)}>
                {query.sql.slice(0, maxTitle)}
              </td>
              <td class="end muted">{query.before === 0 ? '' : query.before}</td>
              <td class="end muted">{query.after === 0 ? '' : query.after}</td>
              <td class="end">
                {query.before === query.after ? (
                  <span class="muted">same</span>
                ) : (
                  <b class={query.after > query.before + 2 ? 'more-time' : undefined}>
                    {signed(query.after - query.before, String)}
                  </b>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {queries.length > maxQueries && (
        <p class="muted">
          {say('{n} more|{n} more', { n: queries.length - maxQueries })} in the panels of the records.
        </p>
      )}
    </section>
  );
}

const maxQueries = 12;
const maxTitle = 300;

function sum(queries: ReturnType<typeof compareQueries>, side: 'before' | 'after'): number {
  return queries.reduce((total, query) => total + query[side], 0);
}
