import { say } from '#core/phrases';
import { findSection } from '../define-section.js';
import type { SpansSection } from '../spans/section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { type LoopSection, ownMsOf } from '../event-loop/section.js';
import type { Block, Blocks, Pair } from '../../view/block.js';
import { breakdownOf } from '../../model/time-breakdown.js';
import { formatBytes, formatMilliseconds } from '../../model/formatting.js';
import { foldShort, stepsOf, waterfallOf } from './waterfall.js';
import { blocksOf, furtherItems, line, note, section, warning } from '../../view/make-blocks.js';
import { badgeOf, pairSection, pairsOf } from '../../view/make-facts.js';
import { captionOf } from '../../view/make-tables.js';
import type { Panel, PanelContext } from '../panel.js';

const maxSpansShown = 250;
/** Share of the total time below which spans are folded, by the value of `threshold`. */
const thresholds: Readonly<Record<string, number>> = { all: 0, '1': 0.01, '10': 0.1 };

/** Timeline with a bar for each stage, listener, query and so on. Process-wide figures have their own section. */
export const timePanel: Panel = {
  id: 'time',
  title: 'Time',
  section: 'spans',
  badge: ({ timeline }) => badgeOf(timeline.length, '{n} step|{n} steps'),
  show(record, context) {
    const steps = say('{n} step|{n} steps', { n: record.timeline.length });
    const shared =
      stepsOf(record.timeline).length < record.timeline.length ? '; repeated ones share a row' : '';
    return blocksOf(
      line(`${steps} in ${formatMilliseconds(record.durationMs)}${shared}`),
      timelineBlocks(record, context),
      loopSection(record, context),
      processSection(record),
    );
  },
};

function timelineBlocks(record: ProfileRecord, context: PanelContext): Blocks {
  if (record.timeline.length === 0) return note('No spans were recorded.');
  // Custom spans may exceed the record's limit.
  const { spans = [], more = 0 } = findSection<SpansSection>(record, 'spans', ['spans', 'more']) ?? {};
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
    furtherItems(omitted, '{n} further span is in the JSON form.|{n} further spans are in the JSON form.'),
    more > 0 && warning(captionOf('startSpan', { shown: spans.length, more })),
  ];
}

function thresholdLinks(record: ProfileRecord, context: PanelContext, chosen: string): Block {
  const steps = stepsOf(record.timeline);
  const filters = Object.entries(thresholds).map(([value, share]) => ({
    label: value === 'all' ? 'all' : `from ${value} %`,
    count: foldShort(steps, record.durationMs * share).length,
    href: context.link('time', { threshold: value }),
    chosen: value === chosen,
  }));
  // Ordered by number of rows: all, then at least 1 %, then at least 10 %.
  return {
    kind: 'filters',
    label: 'Rows',
    isTitled: true,
    filters: filters.toSorted((a, b) => b.count - a.count),
  };
}

/** Shows what occupied the event loop: this request, others, or nothing because the machine was busy. */
function loopSection(record: ProfileRecord, context: PanelContext): Block | undefined {
  const loop = findSection<LoopSection>(record, 'loop', ['ownMs', 'waits']);
  if (loop === undefined) return undefined;
  const { ownMs, ownBlocks = 1, waits, queued } = loop;
  const { busy } = breakdownOf(record);
  const by = (words: string, token: string | null): Pair[1] =>
    token === null ? words : { text: `${words} by ${token}`, href: context.recordLink(token) };
  const rows: Pair[] = [
    ['Blocked by this request', ownMs > 0 ? blocked(ownMs, ownBlocks) : null],
    ...waits.map(({ token, durationMs, blocks = 1 }): Pair => [
      token === null ? 'Blocked by code outside any known request' : 'Blocked by another request',
      by(blocked(durationMs, blocks), token),
    ]),
    [
      'Busy before the request was read',
      queued === undefined ? null : by(formatMilliseconds(queued.ms), queued.token),
    ],
    ['The machine was busy', busy >= minBusyMs ? formatMilliseconds(busy) : null],
  ];
  return rows.some(([, value]) => value !== null) ? pairSection('Event loop', rows) : undefined;
}

const minBusyMs = 1;

function blocked(ms: number, blocks: number): string {
  return blocks > 1 ? `${formatMilliseconds(ms)} in ${blocks} parts` : formatMilliseconds(ms);
}

function processSection({ runtime, cost, sections }: ProfileRecord): Block {
  const { memory, eventLoop, sampledMsAgo } = runtime;
  const scope = 'These figures cover the whole process and all its requests, not just this one.';
  const figures: Block = pairsOf('Process', [
    ['Resident memory', formatBytes(memory.rss)],
    ['Heap used', formatBytes(memory.heapUsed)],
    ['Longest event-loop delay', formatMilliseconds(eventLoop.maxDelayMs)],
    ['Event loop busy', `${Math.round(eventLoop.utilization * 100)} % of the second before`],
    ['Profiler overhead', formatMilliseconds(cost.recordMs + ownMsOf(sections['loop']))],
  ]);
  const sampled = `They were sampled ${formatMilliseconds(sampledMsAgo)} before its end.`;
  return section('Process', [note(`${scope} ${sampled}`), figures], { folded: true });
}
