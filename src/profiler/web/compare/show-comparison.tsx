import { HttpResponse, type HttpRequest } from '#http';
import { renderComparisonMarkdown } from '../../api/render-record-markdown.js';
import { findingsOf } from '../../findings/findings-of.js';
import { breakdownOf } from '../../form/time-breakdown.js';
import { timeCategories } from '../../model/time-breakdown.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../../panels/blocks/block.js';
import { formatMilliseconds } from '../../words/format.js';
import { compareBlocks } from '../../panels/compare/compare-blocks.js';
import { protectResponse } from '../access/protect-response.js';
import { categoryWords } from '../blocks/breakdown-bar.js';
import { findRecord, type FoundRecord } from '../lookup/find-record.js';
import type { Miss } from '../lookup/miss-page.js';
import { panelBlocks, panelContext, renderMiss } from '../record/show-record.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { stylesOf } from '../styles/block-styles.js';
import { ComparisonPage, type PanelDifference } from './comparison-page.js';
import { compareStyles } from '../styles/record-styles.js';
import { say, sayKnown } from '../../words/say.js';

/** `GET /_profiler/compare/{first}/{second}`: two records, every panel as a difference; with `?format=md` as Markdown. */
export async function showComparison(
  site: ProfilerSite,
  request: HttpRequest,
  names: readonly string[],
): Promise<HttpResponse> {
  const [first, second] = names.length > 0 ? names : request.query.getAll('t');
  if (first === undefined || second === undefined) return renderMiss(site, markTwo());
  if (names.length === 0) return protectResponse(HttpResponse.redirect(site.links.compare(first, second)));
  const a = await findRecord(site, request, first);
  if (a.kind === 'miss') return renderMiss(site, a.miss);
  const b =
    second === 'last-good'
      ? await findLastGood(site, request, a.record)
      : await findRecord(site, request, second);
  if (b.kind === 'miss') return renderMiss(site, b.miss);
  const isMarkdown = request.query.get('format') === 'md';
  if (second !== b.record.token && !isMarkdown)
    return protectResponse(HttpResponse.redirect(site.links.compare(a.record.token, b.record.token)));
  const records = [a.record, b.record] as const;
  const panels = differences(site, request, records);
  if (isMarkdown) {
    const headers = { 'Content-Type': 'text/markdown; charset=utf-8' };
    return protectResponse(new HttpResponse(renderComparisonMarkdown(records, panels), { headers }));
  }
  return renderShell(<ComparisonPage records={records} panels={panels} links={site.links} />, {
    title: `${say('Two requests compared')}: ${a.record.token}, ${b.record.token}`,
    links: site.links,
    styles: [...stylesOf(panels.flatMap(({ blocks }) => blocks)), compareStyles],
  });
}

function markTwo(): Miss {
  return {
    status: 404,
    kind: 'malformed',
    title: say('Mark two requests to compare them'),
    detail: say('Mark two rows of the list by their boxes, or by the key c, and press Compare.'),
  };
}

/** The newest record of the same route and method that was answered below 400 with nothing thrown. */
async function findLastGood(
  site: ProfilerSite,
  request: HttpRequest,
  { token, route, request: { method } }: ProfileRecord,
): Promise<FoundRecord> {
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
  if (good !== undefined) return findRecord(site, request, good.token);
  return {
    kind: 'miss',
    miss: {
      status: 404,
      kind: 'never',
      title: say('No other request of this route went well'),
      detail: say('No record of the route “{route}” was answered below 400 with nothing thrown.', {
        route: (route?.name ?? '–').slice(0, 100),
      }),
      choices: [{ label: say('Back to the record'), href: site.links.record(token) }],
    },
  };
}

function differences(
  site: ProfilerSite,
  request: HttpRequest,
  [a, b]: readonly [ProfileRecord, ProfileRecord],
): readonly PanelDifference[] {
  const [ofA, ofB] = [panelContext(site, request, a), panelContext(site, request, b)];
  // What the overview has is in other panels as well.
  const panels = site.panels.filter(({ id }) => id !== 'overview');
  return [
    { title: say('At a glance'), blocks: compareBlocks(glance(a), glance(b)) },
    ...panels.map((panel) => ({
      title: sayKnown(panel.title),
      blocks: compareBlocks(panelBlocks(panel, a, ofA), panelBlocks(panel, b, ofB)),
    })),
  ];
}

function glance(record: ProfileRecord): readonly Block[] {
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
