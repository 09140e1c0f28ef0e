import type { TraceSection } from '../../collectors/outgoing/trace-collector.js';
import { findSection } from '../../collectors/find-section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { Row } from '../blocks/block.js';
import { formatMilliseconds } from '../../words/format.js';
import type { Panel, PanelContext } from '../panel.js';
import { nothingRecorded, pairOf } from './outgoing-blocks.js';

/** The records of the same trace: of other services and of jobs too, where they share the store. */
export const tracePanel: Panel = {
  id: 'trace',
  title: 'Trace',
  icon: 'M5 5h6v4H5zm8 10h6v4h-6zM8 9v8h5M5 17h3',
  section: 'trace',
  badge: (record) => (sectionOf(record) === undefined ? undefined : 'plain'),
  related(record) {
    const section = sectionOf(record);
    const trace = section?.trace?.traceId ?? section?.received ?? undefined;
    return trace === undefined
      ? undefined
      : { where: [{ columns: ['trace'], test: { kind: 'is', texts: [trace] } }] };
  },
  show(record, context) {
    const section = sectionOf(record);
    if (section === undefined)
      return nothingRecorded(
        'trace',
        'One is continued where a request comes with traceparent, and begun with the first outgoing request or job.',
      );
    const { trace, received } = section;
    return [
      {
        kind: 'table',
        caption: 'Requests and jobs of this trace',
        columns: [
          { label: 'After', align: 'end' },
          { label: 'Duration', align: 'end' },
          { label: 'Status', align: 'end' },
          { label: 'Method' },
          { label: 'URL', grow: true },
          { label: 'Record' },
        ],
        rows: context.related.toReversed().map((row) => rowOf(row, record, context)),
        empty: 'No other record of this trace is in this store.',
      },
      {
        kind: 'pairs',
        label: 'Trace context',
        pairs: [
          ...pairOf('Trace', trace?.traceId ?? null, { mono: true, copy: true }),
          ...pairOf('Span', trace?.spanId ?? null, { mono: true }),
          ...pairOf('Asked by span', trace?.parentId ?? null, { mono: true }),
          ...(received === null || received === trace?.traceId
            ? []
            : pairOf('Named by the client, not continued', received, { mono: true })),
        ],
        empty: '',
      },
    ];
  },
};

function rowOf(row: ProfileSummary, record: ProfileRecord, context: PanelContext): Row {
  const isOwn = row.token === record.token;
  return {
    tone: row.status >= 500 || row.exception !== null ? 'error' : 'neutral',
    cells: [
      { text: formatMilliseconds(row.startedAt - record.startedAt), mono: true, muted: true },
      { text: formatMilliseconds(row.durationMs), mono: true },
      { text: row.status === 0 ? '–' : String(row.status), mono: true },
      { text: row.method, mono: true },
      { text: row.url, mono: true },
      isOwn ? 'this one' : { text: row.token, mono: true, href: context.recordLink(row.token) },
    ],
  };
}

function sectionOf(record: ProfileRecord): TraceSection | undefined {
  return findSection<TraceSection>(record, 'trace', ['trace', 'received']);
}
