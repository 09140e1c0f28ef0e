import { say } from '../words/say.js';
import { findSection } from '../collectors/find-section.js';
import type { SpansSection } from '../collectors/span-collector.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { LoopSection } from '../watch/loop-collector.js';
import type { Block } from './blocks/block.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { icons } from './blocks/icons.js';
import { nestSpans } from './blocks/nest-spans.js';
import { foldShort, waterfallOf } from './waterfall.js';
import {
  captionOf,
  furtherItems,
  metric,
  metricsOf,
  note,
  type Pair,
  pairsOf,
  section,
  warning,
} from './blocks/make-blocks.js';
import type { Panel, PanelContext } from './panel.js';

const maxSpansShown = 250;
/** Shares of the total time below which spans are folded, by the value of `threshold`. */
const thresholds: Readonly<Record<string, number>> = { all: 0, '1': 0.01, '10': 0.1 };

/** Timeline with a bar for each stage, listener, query and so on. Figures of the whole process are in a separate section. */
export const timePanel: Panel = {
  id: 'time',
  title: 'Time',
  icon: icons.time,
  section: 'spans',
  badge: () => 'plain',
  show(record, context) {
    const metrics = metricsOf([
      metric('total', formatMilliseconds(record.durationMs)),
      metric('profiler overhead', formatMilliseconds(record.cost.recordMs)),
    ]);
    return [
      metrics,
      ...timelineBlocks(record, context),
      ...loopSection(record, context),
      processSection(record),
    ];
  },
};

function timelineBlocks(record: ProfileRecord, context: PanelContext): readonly Block[] {
  if (record.timeline.length === 0) return [note(say('No spans were recorded.'))];
  const threshold = context.query('threshold');
  const chosen = Object.hasOwn(thresholds, threshold) ? threshold : '1';
  const { block, omitted } = waterfallOf(record, context, {
    foldBelowMs: record.durationMs * (thresholds[chosen] ?? 0),
    maxRows: maxSpansShown,
  });
  return [
    thresholdLinks(record, context, chosen),
    block,
    ...furtherItems(omitted, '{n} further span is in the JSON form.|{n} further spans are in the JSON form.'),
    ...omittedSpansWarning(record),
  ];
}

/** Warns about spans of the application that exceeded the limit of the record. */
function omittedSpansWarning(record: ProfileRecord): readonly Block[] {
  const { spans = [], more = 0 } = findSection<SpansSection>(record, 'spans', ['spans', 'more']) ?? {};
  return more === 0 ? [] : [warning(captionOf('startSpan', { shown: spans.length, more }))];
}

function thresholdLinks(record: ProfileRecord, context: PanelContext, chosen: string): Block {
  const nested = nestSpans(record.timeline);
  const filters = Object.entries(thresholds).map(([value, share]) => ({
    label: value === 'all' ? say('all') : `${value} %`,
    count: foldShort(nested, record.durationMs * share).length,
    href: context.link('time', { threshold: value }),
    chosen: value === chosen,
  }));
  // Ordered by number of rows: all, then at least 1 %, then at least 10 %.
  return {
    kind: 'filters',
    label: say('Rows from this share of the time on'),
    filters: filters.toSorted(byCount),
  };
}

function byCount(a: { readonly count: number }, b: { readonly count: number }): number {
  return b.count - a.count;
}

/** Shows how this request blocked the event loop, or waited for others that did. */
function loopSection(record: ProfileRecord, context: PanelContext): readonly Block[] {
  const loop = findSection<LoopSection>(record, 'loop', ['ownMs', 'waits']);
  if (loop === undefined) return [];
  const waits = loop.waits.map(({ token, startMs, durationMs }): Pair => [
    startMs < 0 ? say('Held up before it began, up to') : say('Held up'),
    {
      text: say('{time} by {token}', { time: formatMilliseconds(durationMs), token }),
      href: context.recordLink(token),
    },
  ]);
  const own: Pair = [
    say('Held up all other requests'),
    loop.ownMs > 0 ? formatMilliseconds(loop.ownMs) : null,
  ];
  return [section(say('Event loop'), pairsOf(say('Event loop'), [own, ...waits]))];
}

function processSection({ runtime: { memory, eventLoop, sampledMsAgo } }: ProfileRecord): Block {
  const busy = say('{n} % of the second before', { n: Math.round(eventLoop.utilization * 100) });
  const of = say(
    'These figures are of the whole process, with every request that it was handling, and not of this request. ',
  );
  const when = say('They were sampled {time} before its end.', { time: formatMilliseconds(sampledMsAgo) });
  const figures: Block = pairsOf(say('Process'), [
    [say('Resident memory'), formatBytes(memory.rss)],
    [say('Heap used'), formatBytes(memory.heapUsed)],
    [say('Longest event-loop delay'), formatMilliseconds(eventLoop.maxDelayMs)],
    [say('Event loop busy'), busy],
  ]);
  return section(say('Process'), [note(of + when), figures], { folded: true });
}
