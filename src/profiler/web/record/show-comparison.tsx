import { type HttpRequest, HttpResponse } from '#core/http';
import { textResponse } from './show-data.js';
import { renderComparisonMarkdown } from '../reports/render-record-markdown.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block, Finding } from '../../view/block.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { compareBlocks } from '../compare/compare-blocks.js';
import { compareRecords, type Comparison, describeRatio, inOrder } from '../compare/compare-records.js';
import { answeredSection, comparisonBlocks, signed } from '../compare/comparison-blocks.js';
import { findLastGood } from '../../search/find-last-good.js';
import { compact, line, section } from '../../view/make-blocks.js';
import { safely } from '#core/coded-error';
import type { Panel, PanelContext } from '../../sections/panel.js';
import { toFinding } from '../../sections/finding.js';
import { protectResponse } from '../access/protect-response.js';
import { Missing, getRecord } from './get-record.js';
import { panelBlocks, panelContext } from './show-record.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { say } from '#core/phrases';
import type { VNode } from 'preact';
import { BlockList, Sentence } from '../blocks/block-view.js';
import { Age } from '../blocks/value-view.js';
import { StatusChip } from '../blocks/status.js';
import { splitUrl } from '../site/links.js';

/** `GET /_profiler/compare/{first}/{second}`: two records' differences by panel; with `?format=md` as Markdown. */
export async function showComparison(
  site: ProfilerSite,
  request: HttpRequest,
  names: readonly string[],
): Promise<HttpResponse> {
  const [first, second] = names.length > 0 ? names : request.query.getAll('t');
  if (first === undefined || second === undefined)
    throw new Missing(404, 'malformed', 'Select two requests to compare them', {
      detail: 'Select two rows of the list by their boxes, or with the key c, and press Compare.',
    });
  if (names.length === 0) return protectResponse(HttpResponse.redirect(site.links.compare(first, second)));
  const a = await getRecord(site, first);
  const b = await (second === 'last-good' ? getLastGood(site, a) : getRecord(site, second));
  const isMarkdown = request.query.get('format') === 'md';
  if (second !== b.token && !isMarkdown)
    return protectResponse(HttpResponse.redirect(site.links.compare(a.token, b.token)));
  const pair = inOrder(a, b);
  const comparison = compareRecords(pair);
  const [before, after] = pair;
  const [ofBefore, ofAfter] = [panelContext(site, request, before), panelContext(site, request, after)];
  const panels = site.panels
    .filter(({ id }) => !comparedOtherwise.has(id))
    .map((panel) => ({
      title: panel.title,
      blocks: compareBlocks(
        factBlocks(panel, before, ofBefore),
        factBlocks(panel, after, ofAfter),
        comparison.names,
      ),
    }));
  const folds = [
    ...compact(answeredSection(comparison)),
    ...panels.flatMap(({ title, blocks }) =>
      blocks.length > 0 ? [section(title, blocks, { folded: true })] : [],
    ),
  ];
  const blocks = [
    ...comparisonBlocks(comparison),
    ...compact(folds.length > 0 && section('What else differs', folds)),
  ];
  const sentence = toFinding(comparison.sentence, comparison.failed === 'before' ? ofBefore : ofAfter);
  if (isMarkdown) {
    const outcome = line(`${comparison.outcomes.join(' → ')}: ${sentence.title}`);
    return textResponse('markdown', renderComparisonMarkdown(pair, [outcome, ...blocks]));
  }
  const same = panels.flatMap(({ title, blocks: differences }) => (differences.length === 0 ? [title] : []));
  const content = <ComparisonPage {...{ comparison, site, sentence, blocks, same }} />;
  const title = `Two requests compared: ${a.token}, ${b.token}`;
  return renderShell(content, { title, links: site.links });
}

/** Returns a panel's blocks; empty if the panel would only say that it has nothing to show. */
function factBlocks(panel: Panel, record: ProfileRecord, context: PanelContext): readonly Block[] {
  const isEmpty = safely(() => panel.badge(record), 'plain') === undefined;
  return isEmpty ? [] : panelBlocks(panel, record, context);
}

/** Panels that are compared separately, and panels that differ between any two requests. */
const comparedOtherwise: ReadonlySet<string> = new Set([
  'overview',
  'exception',
  'time',
  'db',
  'http',
  'cache',
  'request',
  'trace',
  'cpu',
  'self',
]);

/** Returns the newest successful record with the same route and method before this one. Throws `Missing` if there is none. */
async function getLastGood(site: ProfilerSite, record: ProfileRecord): Promise<ProfileRecord> {
  const good = await findLastGood(site.reader, record);
  if (good !== undefined) return getRecord(site, good.token);
  const { route, request, token } = record;
  const name = (route?.name ?? request.path).slice(0, 100);
  const words =
    'No earlier {method} request of “{name}” in this store was answered below 400 with nothing thrown.';
  throw new Missing(404, 'never', 'No earlier request to this route succeeded', {
    detail: say(words, { method: request.method.slice(0, 20), name }),
    choices: [{ label: 'Back to the record', href: site.links.record(token) }],
  });
}

interface ComparisonProps {
  readonly comparison: Comparison;
  readonly site: ProfilerSite;
  readonly sentence: Finding;
  readonly blocks: readonly Block[];
  /** Titles of panels without differences. */
  readonly same: readonly string[];
}

/**
 * Two records: how each ended and why, differences in the requests, where the steps diverge, and the time difference.
 */
function ComparisonPage({ comparison, site, sentence, blocks, same }: ComparisonProps): VNode {
  const { pair, names } = comparison;
  const [before, after] = pair;
  return (
    <>
      <section class="pair" aria-label="The two records">
        <ComparedRecord name={names[0]} record={before} site={site} />
        <ComparedRecord name={names[1]} record={after} site={site} />
      </section>
      <div class="comparison panel">
        <section class="hero" aria-label="Answer">
          <Outcome comparison={comparison} />
          <p class="answer">
            <Sentence finding={sentence} />
          </p>
        </section>
        <BlockList blocks={blocks} level={2} />
        {same.length > 0 && <p class="same">{`Same in both: ${same.join(', ')}`}</p>}
      </div>
    </>
  );
}

/** How both ended; if they ended alike, their time difference. */
function Outcome({ comparison: { outcomes, pair, failed } }: { comparison: Comparison }): VNode {
  const [was, is] = outcomes;
  if (was !== is || failed !== undefined)
    return (
      <h1 class="outcome">
        <span class={failed === 'before' ? 'err' : undefined}>{was}</span>{' '}
        <span class="muted" aria-hidden="true">
          →
        </span>
        <span class="visually-hidden">then</span>{' '}
        <span class={failed === 'after' ? 'err' : undefined}>{is}</span>
      </h1>
    );
  const [before, after] = pair.map(({ durationMs }) => durationMs);
  const delta = (after ?? 0) - (before ?? 0);
  const [figure, unit] = signed(delta, formatMilliseconds).split(' ');
  return (
    <h1 class="outcome">
      <span class={delta < 0 ? 'less-time' : 'more-time'}>
        {figure} {unit}
      </span>{' '}
      <span class="muted ratio">{describeRatio(before ?? 0, after ?? 0)}</span>
    </h1>
  );
}

function ComparedRecord(props: { name: string; record: ProfileRecord; site: ProfilerSite }): VNode {
  const { name, record, site } = props;
  const { method, url } = record.request;
  const address = `${method} ${splitUrl(url).join('')}`;
  return (
    <div>
      {name} · <Age at={record.startedAt} now={site.now()} /> · <span class="mono">{record.token}</span>
      <h2>
        <StatusChip status={record.response?.status ?? 0} />
        <a href={site.links.record(record.token)} title={address}>
          {address}
        </a>
        <span class="took">{formatMilliseconds(record.durationMs)}</span>
      </h2>
    </div>
  );
}
