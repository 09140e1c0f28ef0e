import type { TraceSection } from '../../collectors/outgoing/trace-collector.js';
import { findSection } from '../../collectors/find-section.js';
import { formatMilliseconds } from '../../words/format.js';
import { column, numberColumn, mono, muted, pairsOf, styledText, table } from '../blocks/make-blocks.js';
import { say } from '../../words/say.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { statusCell } from './http-panel.js';

/** Records of the same trace, including those of other services and of jobs that share the store. */
export const tracePanel: Panel = createSectionPanel<TraceSection>({
  id: 'trace',
  title: 'Trace',
  icon: 'M5 5h6v4H5zm8 10h6v4h-6zM8 9v8h5M5 17h3',
  fields: ['trace', 'received'],
  badge: () => 'plain',
  related(record) {
    const section = findSection<TraceSection>(record, 'trace', ['trace', 'received']);
    const trace = section?.trace?.traceId ?? section?.received ?? undefined;
    return trace === undefined
      ? undefined
      : { where: [{ columns: ['trace'], test: { kind: 'is', texts: [trace] } }] };
  },
  none: 'No trace in this record. One is continued where a request comes with traceparent, and begun with the first outgoing request or job. See docs/taps.md.',
  show: ({ trace, received }, record, context) => [
    table(
      say('Requests and jobs of this trace'),
      context.related.toSorted((one, other) => one.startedAt - other.startedAt),
      {
        columns: [
          numberColumn('After', ({ startedAt }) => muted(formatMilliseconds(startedAt - record.startedAt))),
          numberColumn('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
          numberColumn('Status', ({ status }) => statusCell(status)),
          column('Method', ({ method }) => mono(method)),
          { label: 'URL', grow: true, cell: ({ url }) => mono(url) },
          column('Record', ({ token }) =>
            token === record.token ? say('this one') : { ...mono(token), href: context.recordLink(token) },
          ),
        ],
        row: ({ status, exception }) => ({
          tone: status >= 500 || exception !== null ? 'error' : 'neutral',
        }),
        empty: say('No other record of this trace is in this store.'),
      },
    ),
    pairsOf(say('Trace context'), [
      [say('Trace'), styledText(trace?.traceId, { mono: true, copy: true })],
      [say('Span'), styledText(trace?.spanId)],
      [say('Asked by span'), styledText(trace?.parentId)],
      [say('Named by the client, not continued'), received === trace?.traceId ? null : styledText(received)],
    ]),
  ],
});
