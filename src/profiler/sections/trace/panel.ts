import { pairsOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { mono, styledText } from '../../view/make-values.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { findSection } from '../define-section.js';
import type { TraceSection } from './section.js';
import { statusCell } from '../../view/call-columns.js';

/** Records of the same trace, including those of other services and of jobs that share the store. */
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
  none: 'No trace in this record. One is continued where a request comes with traceparent, and begun with the first outgoing request or job. See docs/guides/instrumentation.md.',
  show: ({ trace, received }, record, context) => [
    table(
      'Requests and jobs of this trace',
      context.related.toSorted((one, other) => one.startedAt - other.startedAt),
      {
        columns: [
          column.after(({ startedAt }) => startedAt - record.startedAt),
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
      ['Asked by span', styledText(trace?.parentId)],
      ['Named by the client, not continued', received === trace?.traceId ? null : styledText(received)],
    ]),
  ],
});
