import type { TraceSection } from '../../collectors/outgoing/trace-collector.js';
import { findSection } from '../../collectors/find-section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { Row } from '../blocks/block.js';
import { column, end, mono, pairsOf } from '../blocks/make-blocks.js';
import { say } from '../../words/say.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { pairOf, timeCell } from './outgoing-blocks.js';

/** The records of the same trace: of other services and of jobs too, where they share the store. */
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
    {
      kind: 'table',
      caption: say('Requests and jobs of this trace'),
      columns: [
        end('After'),
        end('Duration'),
        end('Status'),
        column('Method'),
        { label: 'URL', grow: true },
        column('Record'),
      ],
      rows: context.related
        .toSorted((one, other) => one.startedAt - other.startedAt)
        .map((row) => rowOf(row, record, context)),
      empty: say('No other record of this trace is in this store.'),
    },
    pairsOf(say('Trace context'), [
      ...pairOf(say('Trace'), trace?.traceId ?? null, { mono: true, copy: true }),
      ...pairOf(say('Span'), trace?.spanId ?? null, { mono: true }),
      ...pairOf(say('Asked by span'), trace?.parentId ?? null, { mono: true }),
      ...(received === trace?.traceId
        ? []
        : pairOf(say('Named by the client, not continued'), received, { mono: true })),
    ]),
  ],
});

function rowOf(row: ProfileSummary, record: ProfileRecord, context: PanelContext): Row {
  const isOwn = row.token === record.token;
  return {
    tone: row.status >= 500 || row.exception !== null ? 'error' : 'neutral',
    cells: [
      { ...timeCell(row.startedAt - record.startedAt), muted: true },
      timeCell(row.durationMs),
      mono(row.status === 0 ? '–' : String(row.status)),
      mono(row.method),
      mono(row.url),
      isOwn ? say('this one') : { ...mono(row.token), href: context.recordLink(row.token) },
    ],
  };
}
