import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Metric, Span } from './blocks/block.js';
import { formatBytes, formatMilliseconds, plural } from './blocks/format.js';
import { icons } from './blocks/icons.js';
import { nestSpans } from './blocks/nest-spans.js';
import type { Panel } from './panel.js';

const SHOWN = 250;

/** Where the time went: a bar for each stage, listener and controller. What is of the whole process stands apart. */
export const timePanel: Panel = {
  id: 'time',
  title: 'Time',
  icon: icons.time,
  badge: () => 'plain',
  show(record) {
    const spans = nestSpans(record.timeline).map((span) => namedSpan(span, record));
    const rest = spans.length - SHOWN;
    return [
      { kind: 'metrics', metrics: metricsOf(record) },
      ...(spans.length === 0
        ? [{ kind: 'note', tone: 'neutral', text: 'No spans were recorded.' } satisfies Block]
        : [
            {
              kind: 'timeline',
              label: 'Timeline of the request',
              total: record.durationMs,
              spans: spans.slice(0, SHOWN),
            } satisfies Block,
          ]),
      ...(rest > 0
        ? [
            {
              kind: 'note',
              tone: 'neutral',
              text: `${plural(rest, 'further span')} can be read in the JSON form.`,
            } satisfies Block,
          ]
        : []),
      processSection(record),
    ];
  },
};

function metricsOf({ durationMs, cost }: ProfileRecord): readonly Metric[] {
  return [
    { label: 'total', value: formatMilliseconds(durationMs) },
    { label: 'profiler overhead', value: formatMilliseconds(cost.recordMs) },
  ];
}

/** The controller's own bar has its name; the event of the same name says that it is one. */
function namedSpan(span: Span, { controller }: ProfileRecord): Span {
  if (span.category === 'controller') return { ...span, label: controller?.name ?? span.label };
  return span.category === 'stage' ? { ...span, label: `${span.label} event` } : span;
}

function processSection({ runtime: { memory, eventLoop, sampledMsAgo } }: ProfileRecord): Block {
  const busy = `${(eventLoop.utilization * 100).toFixed(0)} % of the second before`;
  return {
    kind: 'section',
    title: 'Process',
    folded: true,
    blocks: [
      {
        kind: 'note',
        tone: 'neutral',
        text:
          'These figures are of the whole process, with every request that it was handling, and not of this request. ' +
          `They were sampled ${formatMilliseconds(sampledMsAgo)} before its end.`,
      },
      {
        kind: 'pairs',
        label: 'Process',
        empty: '',
        pairs: [
          ['Resident memory', formatBytes(memory.rss)],
          ['Heap used', formatBytes(memory.heapUsed)],
          ['Longest event-loop delay', formatMilliseconds(eventLoop.maxDelayMs)],
          ['Event loop busy', busy],
        ],
      },
    ],
  };
}
