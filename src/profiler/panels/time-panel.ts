import { say } from '#phrases';
import { findSection } from '../collectors/define-part.js';
import type { SpansSection } from '../collectors/span-collector.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { LoopSection } from '../collectors/loop-collector.js';
import type { Block } from './blocks/block.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { foldShort, stepsOf, waterfallOf } from './waterfall.js';
import {
  badgeOf,
  captionOf,
  furtherItems,
  line,
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
  section: 'spans',
  badge: ({ timeline }) => badgeOf(timeline.length, '{n} step|{n} steps'),
  show(record, context) {
    return [
      line(
        say('{n} step in {time}|{n} steps in {time}', {
          n: record.timeline.length,
          time: formatMilliseconds(record.durationMs),
        }),
      ),
      ...timelineBlocks(record, context),
      ...loopSection(record, context),
      processSection(record),
    ];
  },
};

function timelineBlocks(record: ProfileRecord, context: PanelContext): readonly Block[] {
  if (record.timeline.length === 0) return [note('No spans were recorded.')];
  const threshold = context.query('threshold');
  const chosen = Object.hasOwn(thresholds, threshold) ? threshold : '1';
  const { block, omitted } = waterfallOf(record, context, {
    foldBelowMs: record.durationMs * (thresholds[chosen] ?? 0),
    maxRows: maxSpansShown,
    isWhole: true,
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
  const steps = stepsOf(record.timeline);
  const filters = Object.entries(thresholds).map(([value, share]) => ({
    label: value === 'all' ? 'all' : `${value} %`,
    count: foldShort(steps, record.durationMs * share).length,
    href: context.link('time', { threshold: value }),
    chosen: value === chosen,
  }));
  // Ordered by number of rows: all, then at least 1 %, then at least 10 %.
  return {
    kind: 'filters',
    label: 'Rows from this share of the time on',
    filters: filters.toSorted(byCount),
  };
}

function byCount(a: { readonly count: number }, b: { readonly count: number }): number {
  return b.count - a.count;
}

/** Shows what stopped the event loop: this request, others, or the machine. */
function loopSection(record: ProfileRecord, context: PanelContext): readonly Block[] {
  const loop = findSection<LoopSection>(record, 'loop', ['ownMs', 'waits']);
  if (loop === undefined) return [];
  const waits = loop.waits.map(({ token, durationMs }): Pair => [
    'Blocked by another request',
    {
      text: say('{time} by {token}', { time: formatMilliseconds(durationMs), token }),
      href: context.recordLink(token),
    },
  ]);
  const stopped = (loop.stops ?? []).reduce((sum, { stoppedMs }) => sum + stoppedMs, 0);
  const own: Pair = ['Blocked by this request', loop.ownMs > 0 ? formatMilliseconds(loop.ownMs) : null];
  const machine: Pair = [
    'The process did not run',
    stopped > 0 ? say('{time}, because the machine was busy', { time: formatMilliseconds(stopped) }) : null,
  ];
  return [section('Event loop', pairsOf('Event loop', [own, ...waits, machine]))];
}

function processSection({ runtime, cost }: ProfileRecord): Block {
  const { memory, eventLoop, sampledMsAgo } = runtime;
  const busy = say('{n} % of the second before', { n: Math.round(eventLoop.utilization * 100) });
  const of =
    'These figures are of the whole process, with every request that it was handling, and not of this request. ';
  const when = say('They were sampled {time} before its end.', { time: formatMilliseconds(sampledMsAgo) });
  const figures: Block = pairsOf('Process', [
    ['Resident memory', formatBytes(memory.rss)],
    ['Heap used', formatBytes(memory.heapUsed)],
    ['Longest event-loop delay', formatMilliseconds(eventLoop.maxDelayMs)],
    ['Event loop busy', busy],
    ['Time spent recording this request', formatMilliseconds(cost.recordMs)],
  ]);
  return section('Process', [note(of + when), figures], { folded: true });
}
