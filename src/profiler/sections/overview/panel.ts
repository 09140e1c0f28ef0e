import { renderSnapshotText } from '#core/dump';
import { say } from '#core/phrases';
import { type RecordFinding, toFinding } from '../finding.js';
import { answerOf, findingsOf } from '../findings-of.js';
import { type ProfileRecord, type RecordedRoute, findHeader } from '../../model/profile-record.js';
import { breakdownOf } from '../../model/time-breakdown.js';
import { formatBytes, formatCount, formatMilliseconds } from '../../model/formatting.js';
import type { Block, Finding, Pair } from '../../view/block.js';
import { blocksOf, section } from '../../view/make-blocks.js';
import { pairSection } from '../../view/make-facts.js';
import { mono, styledText } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';
import { waterfallOf } from '../time/waterfall.js';

/** Maximum rows in the small waterfall. Steps are folded below the smallest of `shares` that respects this limit. */
const maxRows = 11;
const shares = [0.005, 0.02, 0.05, 0.1, 0.25];
const maxParameters = 6;
const maxText = 300;

/** Overview: the outcome, where the time went, and the main request and response facts. */
export const overviewPanel: Panel = {
  id: 'overview',
  title: 'Overview',
  badge: () => 'plain',
  related({ origin, route, request: { method } }) {
    const name = route?.name ?? null;
    if (name === null) return undefined;
    return {
      origin,
      where: [
        { columns: ['route'], test: { kind: 'is', texts: [name] } },
        { columns: ['method'], test: { kind: 'is', texts: [method] } },
      ],
    };
  },
  show(record, context) {
    const findings = findingsOf(record);
    const answer = answerOf(record, findings);
    const rest = findings
      .filter((finding) => finding !== answer)
      .map((finding): Finding => ({ ...toFinding(finding, context), ...kindOf(finding) }));
    return blocksOf(
      {
        kind: 'answer',
        ms: record.durationMs,
        usual: usualTime(record, context),
        ...othersOf(record, context),
        sentence: toFinding(answer, context),
        breakdown: breakdownOf(record),
      },
      rest.length > 0 && section('What stands out', { kind: 'findings', findings: rest }),
      record.timeline.length > 0 && smallWaterfall(record, context),
      { kind: 'columns', columns: [[requestFacts(record, context)], [responseFacts(record)]] },
    );
  },
};

/** Minimum number of other requests needed for a typical time. */
const minUsual = 5;

/** Names a finding's kind for readers. */
function kindOf({ kind }: RecordFinding): { readonly kind?: string } {
  if (kind === undefined) return {};
  return { kind: kind === 'n+1' ? 'N+1' : kind.replaceAll('-', ' ') };
}

type Related = Pick<PanelContext, 'related'>;

/** Returns the durations of the route's other finished requests, shortest first. */
function timesOf({ token }: ProfileRecord, { related }: Related): readonly number[] {
  return related
    .filter((row) => row.token !== token && row.state === 'complete')
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b);
}

function othersOf(record: ProfileRecord, context: Related): { readonly others?: readonly number[] } {
  const others = timesOf(record, context);
  return others.length < minUsual ? {} : { others };
}

/** Describes the median time that other requests to the route took. */
export function usualTime(record: ProfileRecord, context: Related): string {
  const { route, durationMs } = record;
  // Without a route, no router ran, or none that is recorded.
  if (route === null) return 'no route recorded';
  if (route.name === null) return 'no route matched';
  const others = timesOf(record, context);
  if (others.length === 0) return 'the only request of this route so far';
  const [only] = others;
  if (only !== undefined && others.length === 1) return `one other request: ${formatMilliseconds(only)}`;
  const median = others[Math.floor((others.length - 1) / 2)];
  if (median === undefined || others.length < minUsual)
    return `${formatCount(others.length)} other requests of this route so far`;
  const isSlowest = durationMs > (others.at(-1) ?? durationMs);
  const rank = isSlowest ? '; this one is slower than all of them' : '';
  return `usual ${formatMilliseconds(median)} (${formatCount(others.length)} requests)${rank}`;
}

function smallWaterfall(record: ProfileRecord, context: PanelContext): Block {
  const folded = shares.map((share) =>
    waterfallOf(record, context, { foldBelowMs: record.durationMs * share, maxRows }),
  );
  const found = folded.find(({ omitted }) => omitted === 0) ?? folded.at(-1);
  return section('Where the time went', found?.block, {
    hint: say('{n} step|{n} steps', { n: record.timeline.length }),
    more: { label: 'All steps', href: context.link('time') },
  });
}

function requestFacts({ request, route }: ProfileRecord, context: PanelContext): Block {
  const { headers, query, body, locale } = request;
  const sent = findHeader(headers, 'content-length');
  const size = body === null ? sent && formatBytes(Number(sent)) : formatBytes(body.bytes);
  return pairSection('Request', [
    ['Route', route === null ? 'none recorded' : routeOf(route)],
    ...(route?.parameters ?? [])
      .slice(0, maxParameters)
      .map(({ name, value }): Pair => [name, mono(renderSnapshotText(value).slice(0, maxText))]),
    ...query.slice(0, maxParameters).map(([name, value]): Pair => [`?${name}`, mono(value)]),
    ['Content-Type', styledText(findHeader(headers, 'content-type'))],
    ['Body', size && { text: size, href: context.link('request') }],
    ['Locale', locale],
  ]);
}

function routeOf({ name, path }: RecordedRoute): Pair[1] {
  return name === null ? 'none matched' : mono(`${name} · ${path ?? ''}`);
}

function responseFacts({ response }: ProfileRecord): Block {
  if (response === null) return pairSection('Response', [], { empty: 'No response was sent.' });
  const { headers, cookies, bodyBytes } = response;
  const header = (name: string): Pair => [name, styledText(findHeader(headers, name.toLowerCase()))];
  return pairSection('Response', [
    header('Content-Type'),
    header('Location'),
    header('Cache-Control'),
    ['Body', formatBytes(bodyBytes)],
    ['Cookies', cookies.map(({ name }) => name).join(', ')],
  ]);
}
