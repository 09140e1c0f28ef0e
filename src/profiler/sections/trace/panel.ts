import { say } from '#core/phrases';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { timeCategories } from '../../model/time-breakdown.js';
import type { Block, CombinedSpan, Span } from '../../view/block.js';
import { section } from '../../view/make-blocks.js';
import { pairsOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { mono, styledText } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { findSection } from '../define-section.js';
import type { TraceSection } from './section.js';
import { statusCell } from '../../view/call-columns.js';

/** A trace's records on one axis, each below those during which it began. Every bar links to its record. */
function waterfall(record: ProfileRecord, context: PanelContext): Block {
  const rows = context.related.toSorted(
    (one, other) => one.startedAt - other.startedAt || other.durationMs - one.durationMs,
  );
  const began = rows[0]?.startedAt ?? record.startedAt;
  const endOf = ({ startedAt, durationMs }: ProfileSummary): number => startedAt + durationMs;
  const outer: ProfileSummary[] = [];
  const spans = rows.map((row): Span => {
    while (outer.length > 0 && endOf(row) > endOf(outer.at(-1) ?? row)) outer.pop();
    const depth = outer.length;
    outer.push(row);
    const isOwn = row.token === record.token;
    const status = row.status === 0 ? row.state : String(row.status);
    return {
      label: `${row.method} ${row.path}`,
      detail: isOwn ? `${status}, this one` : status,
      start: row.startedAt - began,
      duration: row.durationMs,
      depth,
      parts: partsOf(row, row.startedAt - began),
      ...(isOwn ? {} : { href: context.recordLink(row.token) }),
    };
  });
  const end = Math.max(...rows.map(endOf)) - began;
  return section(
    'Where the time went',
    { kind: 'timeline', label: 'Requests and jobs of this trace on one axis', total: end, spans },
    { hint: say('{n} request or job|{n} requests and jobs', { n: rows.length }) },
  );
}

/** Lays a request's categories side by side, in the same order as in all bars. */
function partsOf({ breakdown }: ProfileSummary, began: number): readonly CombinedSpan[] {
  let start = began;
  return timeCategories.flatMap((category) => {
    const duration = breakdown[category];
    start += duration;
    return duration > 0 ? [{ start: start - duration, duration, category }] : [];
  });
}

/** Records in the same trace, including those from other services and jobs that share the store. */
export const tracePanel: Panel = createSectionPanel<TraceSection>({
  id: 'trace',
  title: 'Trace',
  fields: ['trace', 'received'],
  badge: () => 'plain',
  related(record) {
    const section = findSection<TraceSection>(record, 'trace', ['trace', 'received']);
    const trace = section?.trace?.traceId ?? section?.received ?? undefined;
    return trace === undefined
      ? undefined
      : { where: [{ columns: ['trace'], test: { kind: 'is', texts: [trace] } }] };
  },
  none: 'No trace in this record. A request that arrives with traceparent continues a trace; otherwise the first outgoing request or job starts one. See docs/guides/instrumentation.md.',
  show: ({ trace, received }, record, context) => [
    context.related.length > 1 && waterfall(record, context),
    table(
      'Requests and jobs of this trace',
      context.related.toSorted((one, other) => one.startedAt - other.startedAt),
      {
        columns: [
          column.start(({ startedAt }) => startedAt - record.startedAt),
          column.duration(),
          column.number('Status', ({ status }) => statusCell(status)),
          column.plain('Method', ({ method }) => mono(method)),
          column.wide('URL', ({ url }) => mono(url)),
          column.plain('Record', ({ token }) =>
            token === record.token ? 'this one' : { ...mono(token), href: context.recordLink(token) },
          ),
        ],
        row: ({ status, exception }) => ({
          tone: status >= 500 || exception !== null ? 'error' : 'neutral',
        }),
        empty: 'No other record of this trace is in this store.',
      },
    ),
    pairsOf('Trace context', [
      ['Trace', styledText(trace?.traceId, { mono: true, copy: true })],
      ['Span', styledText(trace?.spanId)],
      ['Called by span', styledText(trace?.parentId)],
      ['Named by the client, not continued', received === trace?.traceId ? null : styledText(received)],
    ]),
  ],
});
