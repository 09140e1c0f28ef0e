import { type HttpRequest, HttpResponse } from '#http';
import { renderComparisonMarkdown } from '../../api/render-record-markdown.js';
import { findingsOf } from '../../findings/findings-of.js';
import { breakdownOf } from '../../form/time-breakdown.js';
import { timeCategories } from '../../model/time-breakdown.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../../panels/blocks/block.js';
import { formatMilliseconds } from '../../words/format.js';
import { compareBlocks } from '../../panels/compare/compare-blocks.js';
import { protectResponse } from '../access/protect-response.js';
import { BreakdownFigures, categoryWords } from '../blocks/breakdown-bar.js';
import { getRecord } from '../lookup/get-record.js';
import { Missing } from '../lookup/missing.js';
import { panelBlocks, panelContext } from '../record/show-record.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { stylesOf } from '../styles/block-styles.js';
import { compareStyles } from '../styles/record-styles.js';
import { say, sayKnown } from '../../words/say.js';
import type { VNode } from 'preact';
import { BlockList } from '../blocks/block-view.js';
import { StatusChip } from '../blocks/status.js';
import { Time } from '../blocks/value-view.js';
import { type ProfilerLinks, splitUrl } from '../site/links.js';

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
      title: say('Mark two requests to compare them'),
      detail: say('Mark two rows of the list by their boxes, or by the key c, and press Compare.'),
    });
  if (names.length === 0) return protectResponse(HttpResponse.redirect(site.links.compare(first, second)));
  const a = await getRecord(site, request, first);
  const b = await (second === 'last-good' ? getLastGood(site, request, a) : getRecord(site, request, second));
  const isMarkdown = request.query.get('format') === 'md';
  if (second !== b.token && !isMarkdown)
    return protectResponse(HttpResponse.redirect(site.links.compare(a.token, b.token)));
  const records = [a, b] as const;
  const panels = differences(site, request, records);
  if (isMarkdown) {
    const headers = { 'Content-Type': 'text/markdown; charset=utf-8' };
    return protectResponse(new HttpResponse(renderComparisonMarkdown(records, panels), { headers }));
  }
  return renderShell(<ComparisonPage records={records} panels={panels} links={site.links} />, {
    title: `${say('Two requests compared')}: ${a.token}, ${b.token}`,
    links: site.links,
    styles: [...stylesOf(panels.flatMap(({ blocks }) => blocks)), compareStyles],
  });
}

/** Returns the newest record of the same route and method with a status below 400 and no exception. Throws `Missing` if none. */
async function getLastGood(
  site: ProfilerSite,
  request: HttpRequest,
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
  if (good !== undefined) return getRecord(site, request, good.token);
  throw new Missing({
    status: 404,
    kind: 'never',
    title: say('No other request of this route went well'),
    detail: say('No record of the route “{route}” was answered below 400 with nothing thrown.', {
      route: (route?.name ?? '–').slice(0, 100),
    }),
    choices: [{ label: say('Back to the record'), href: site.links.record(token) }],
  });
}

function differences(
  site: ProfilerSite,
  request: HttpRequest,
  [a, b]: readonly [ProfileRecord, ProfileRecord],
): readonly PanelDifference[] {
  const [ofA, ofB] = [panelContext(site, request, a), panelContext(site, request, b)];
  // Everything in the overview is in other panels too.
  const panels = site.panels.filter(({ id }) => id !== 'overview');
  return [
    { title: say('At a glance'), blocks: compareBlocks(glanceBlocks(a), glanceBlocks(b)) },
    ...panels.map((panel) => ({
      title: sayKnown(panel.title),
      blocks: compareBlocks(panelBlocks(panel, a, ofA), panelBlocks(panel, b, ofB)),
    })),
  ];
}

function glanceBlocks(record: ProfileRecord): readonly Block[] {
  const breakdown = breakdownOf(record);
  return [
    {
      kind: 'pairs',
      label: say('Request'),
      pairs: [
        [say('Status'), String(record.response?.status ?? '–')],
        [say('Duration'), formatMilliseconds(record.durationMs)],
        ...timeCategories.map(
          (category) =>
            [
              say('of it {kind}', { kind: say(categoryWords[category]) }),
              formatMilliseconds(breakdown[category]),
            ] as const,
        ),
      ],
    },
    {
      kind: 'findings',
      findings: findingsOf(record).map(({ level, text }) => ({ tone: level, title: text })),
    },
  ];
}

/** Differences of one panel; `blocks` is empty if there are none. */
interface PanelDifference {
  readonly title: string;
  readonly blocks: readonly Block[];
}

interface ComparisonProps {
  readonly records: readonly [ProfileRecord, ProfileRecord];
  readonly panels: readonly PanelDifference[];
  readonly links: ProfilerLinks;
}

/** Two records side by side, followed by the differences of each panel. */
function ComparisonPage({ records, panels, links }: ComparisonProps): VNode {
  const [a, b] = records;
  const alike = panels.filter(({ blocks }) => blocks.length === 0).map(({ title }) => title);
  return (
    <div class="comparison">
      <h1>{say('Two requests compared')}</h1>
      <div class="side-by-side">
        <ComparedRecord name="A" record={a} links={links} />
        <ComparedRecord name="B" record={b} links={links} />
      </div>
      <p>
        <a href={links.compare(b.token, a.token)}>{say('Swap A and B')}</a>
      </p>
      {alike.length > 0 && (
        <p class="muted">{say('No difference: {panels}.', { panels: alike.join(', ') })}</p>
      )}
      {panels
        .filter(({ blocks }) => blocks.length > 0)
        .map(({ title, blocks }) => (
          <section class="panel" aria-label={title}>
            <h2>{title}</h2>
            <BlockList blocks={blocks} level={3} />
          </section>
        ))}
    </div>
  );
}

function ComparedRecord({
  name,
  record,
  links,
}: {
  name: string;
  record: ProfileRecord;
  links: ProfilerLinks;
}): VNode {
  const [path, query] = splitUrl(record.request.url);
  return (
    <div>
      <h2>
        {name}: <a href={links.record(record.token)}>{`${record.request.method} ${path}${query}`}</a>
      </h2>
      <p>
        <StatusChip status={record.response?.status ?? 0} compact={false} />{' '}
        {formatMilliseconds(record.durationMs)} · <Time at={record.startedAt} /> ·{' '}
        <span class="mono">{record.token}</span>
      </p>
      <BreakdownFigures breakdown={breakdownOf(record)} />
    </div>
  );
}
