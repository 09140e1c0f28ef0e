import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Metric } from './block.js';
import { formatBytes, formatMilliseconds, plural } from './format.js';
import { icons } from './icons.js';
import { nestSpans } from './nest-spans.js';
import type { Panel } from './panel.js';

const SHOWN = 250;

/** Where the time went: a bar for each stage, listener and controller; memory and the event loop beside it. */
export const timePanel: Panel = {
  id: 'time',
  title: 'Time',
  icon: icons.time,
  badge: () => 'plain',
  show(record) {
    const spans = nestSpans(record.timeline);
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
      {
        kind: 'text',
        text: `Process figures were sampled ${formatMilliseconds(record.runtime.sampledMsAgo)} before the end.`,
      },
    ];
  },
};

function metricsOf({ durationMs, runtime, cost }: ProfileRecord): readonly Metric[] {
  return [
    { label: 'in all', value: formatMilliseconds(durationMs) },
    { label: 'memory of the process', value: formatBytes(runtime.memory.rss) },
    { label: 'heap used', value: formatBytes(runtime.memory.heapUsed) },
    { label: 'event loop delay, longest', value: formatMilliseconds(runtime.eventLoop.maxDelayMs) },
    { label: 'event loop busy', value: `${(runtime.eventLoop.utilization * 100).toFixed(0)} %` },
    { label: 'cost of recording', value: formatMilliseconds(cost.recordMs) },
  ];
}
