import { type HttpRequest, HttpResponse } from '#core/http';
import { textResponse } from './show-data.js';
import { renderComparisonMarkdown } from '../reports/render-record-markdown.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block, Finding } from '../../view/block.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { compareBlocks } from '../compare/compare-blocks.js';
import { type RecordPair, changeBlocks, describeChange, describeRatio } from '../compare/compare-records.js';
import { compact, line, section } from '../../view/make-blocks.js';
import { toFinding } from '../../sections/finding.js';
import { protectResponse } from '../access/protect-response.js';
import { Missing, getRecord } from './get-record.js';
import { panelBlocks, panelContext } from './show-record.js';
import { renderShell } from '../shell/shell.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { say } from '#core/phrases';
import type { VNode } from 'preact';
import { BlockList, Figure, Sentence } from '../blocks/block-view.js';
import { Age } from '../blocks/value-view.js';
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
    throw new Missing(404, 'malformed', 'Select two requests to compare them', {
      detail: 'Select two rows of the list by their boxes, or with the key c, and press Compare.',
    });
  if (names.length === 0) return protectResponse(HttpResponse.redirect(site.links.compare(first, second)));
  const a = await getRecord(site, first);
  const b = await (second === 'last-good' ? getLastGood(site, a) : getRecord(site, second));
  const isMarkdown = request.query.get('format') === 'md';
  if (second !== b.token && !isMarkdown)
    return protectResponse(HttpResponse.redirect(site.links.compare(a.token, b.token)));
  const pair: RecordPair = a.startedAt <= b.startedAt ? [a, b] : [b, a];
  const [before, after] = pair;
  const [ofBefore, ofAfter] = [panelContext(site, request, before), panelContext(site, request, after)];
  // Everything in the overview is in other panels too.
  const panels = site.panels
    .filter(({ id }) => id !== 'overview')
    .map((panel) => ({
      title: panel.title,
      blocks: compareBlocks(panelBlocks(panel, before, ofBefore), panelBlocks(panel, after, ofAfter)),
    }));
  const folds = panels.flatMap(({ title, blocks }) =>
    blocks.length > 0 ? [section(title, blocks, { folded: true })] : [],
  );
  const hint = say('{n} panel|{n} panels', { n: folds.length });
  const blocks = [
    ...changeBlocks(pair),
    ...compact(folds.length > 0 && section('What else differs', folds, { hint })),
  ];
  const sentence = toFinding(describeChange(pair), ofAfter);
  if (isMarkdown)
    return textResponse('markdown', renderComparisonMarkdown(pair, [line(sentence.title), ...blocks]));
  const same = panels.flatMap(({ title, blocks: differences }) => (differences.length === 0 ? [title] : []));
  const content = <ComparisonPage pair={pair} site={site} sentence={sentence} blocks={blocks} same={same} />;
  const title = `Two requests compared: ${a.token}, ${b.token}`;
  return renderShell(content, { title, links: site.links });
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
  throw new Missing(404, 'never', 'No other request of this route succeeded', {
    detail: `No other record of the route “${(route?.name ?? '–').slice(0, 100)}” was answered below 400 with nothing thrown.`,
    choices: [{ label: 'Back to the record', href: site.links.record(token) }],
  });
}

interface ComparisonProps {
  readonly pair: RecordPair;
  readonly site: ProfilerSite;
  readonly sentence: Finding;
  readonly blocks: readonly Block[];
  /** Titles of the panels in which nothing differs. */
  readonly same: readonly string[];
}

function hasFailed({ response }: ProfileRecord): boolean {
  return response === null || response.status >= 400;
}

/** Two records: how much longer the later one took, what made the difference, and what else differs. */
function ComparisonPage({ pair, site, sentence, blocks, same }: ComparisonProps): VNode {
  const [before, after] = pair;
  const delta = after.durationMs - before.durationMs;
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
            time={`${delta < 0 ? '−' : '+'}${formatMilliseconds(Math.abs(delta))}`}
            usual={describeRatio(before.durationMs, after.durationMs)}
            // The time of a record that alone failed is neither better nor worse than the other's.
            tone={hasFailed(before) !== hasFailed(after) ? undefined : delta < 0 ? 'less-time' : 'more-time'}
          />
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

function ComparedRecord(props: { name: string; record: ProfileRecord; site: ProfilerSite }): VNode {
  const { name, record, site } = props;
  const { method, url } = record.request;
  const address = `${method} ${splitUrl(url).join('')}`;
  return (
    <div>
      {name} · <Age at={record.startedAt} now={site.now()} /> · <span class="mono">{record.token}</span>
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
