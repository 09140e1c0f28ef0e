import {
  callAnchor,
  hasFailed,
  type HttpCall,
  type HttpSection,
} from '../../collectors/outgoing/http-collector.js';
import { findSection } from '../../collectors/find-section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block, Row, Tone } from '../blocks/block.js';
import { formatBytes, formatMilliseconds, plural } from '../../words/format.js';
import type { Panel, PanelContext } from '../panel.js';
import { callSitePairs, nothingRecorded, type Pair, pairOf, timeCell } from './outgoing-blocks.js';

/** The requests that a request sent to others. */
export const httpPanel: Panel = {
  id: 'http',
  title: 'HTTP client',
  icon: 'M7 18a4 4 0 0 1-.6-8 6 6 0 0 1 11.5 1.6A3.3 3.3 0 0 1 17.5 18zM12 11v6m-2.5-2.5L12 17l2.5-2.5',
  section: 'http',
  badge(record) {
    const totals = sectionOf(record)?.totals;
    if (totals === undefined) return undefined;
    const { calls, failed } = totals;
    if (failed > 0) return { count: calls, tone: 'warn', words: plural(failed, 'failed HTTP call') };
    return { count: calls, tone: 'neutral', words: plural(calls, 'HTTP call') };
  },
  show(record, context) {
    const section = sectionOf(record);
    if (section === undefined)
      return nothingRecorded(
        'outgoing request',
        'The global fetch, undici, node:http and node:https are seen by themselves; HTTP/2 clients are not.',
      );
    const { calls, totals } = section;
    return [
      {
        kind: 'metrics',
        metrics: [
          { label: 'calls', value: totals.calls },
          { label: 'waiting for others', value: formatMilliseconds(totals.durationMs) },
          { label: 'failed', value: totals.failed, ...(totals.failed > 0 ? { tone: 'warn' as const } : {}) },
        ],
      },
      {
        kind: 'table',
        caption: `Outgoing requests${totals.calls > calls.length ? `, the first ${calls.length} of ${totals.calls}` : ''}`,
        columns: [
          { label: 'After', align: 'end', minor: true },
          { label: 'Duration', align: 'end' },
          { label: 'Status', align: 'end' },
          { label: 'Method' },
          { label: 'URL', grow: true },
          { label: 'Record', minor: true },
        ],
        rows: calls.map((call, place) => rowOf(call, place, context)),
        empty: '',
      },
    ];
  },
};

function rowOf(call: HttpCall, place: number, context: PanelContext): Row {
  return {
    anchor: callAnchor(place),
    tone: toneOf(call),
    cells: [
      { text: formatMilliseconds(call.offsetMs), mono: true, muted: true },
      timeCell(call.durationMs),
      { text: call.status === 0 ? '–' : String(call.status), tone: toneOf(call), mono: true },
      { text: call.method, mono: true },
      { text: call.url, mono: true },
      recordOf(call),
    ],
    detail: [
      { kind: 'pairs', label: 'The call', pairs: pairsOf(call, context), empty: '' },
      ...bodyBlocks('Request body', call.requestBody),
      ...bodyBlocks('Response body', call.responseBody),
      headerBlock('Request headers', call.requestHeaders),
      headerBlock('Response headers', call.responseHeaders),
    ],
  };
}

function toneOf(call: HttpCall): Tone {
  if (call.error !== null || call.status >= 500) return 'error';
  return hasFailed(call) ? 'warn' : 'neutral';
}

function recordOf({ record, recordLink }: HttpCall): { text: string; mono: true; href?: string } {
  return { text: record ?? '', mono: true, ...(recordLink === null ? {} : { href: recordLink }) };
}

function pairsOf(call: HttpCall, context: PanelContext): readonly Pair[] {
  const { sendMs, waitMs, receiveMs } = call.phases;
  const phase = (key: string, ms: number): readonly Pair[] => (ms === 0 ? [] : [[key, timeCell(ms)]]);
  return [
    ...pairOf('Error', call.error, { tone: 'error' }),
    ...(call.isOpen ? ([['State', 'still open when the request ended']] as const) : []),
    ...phase('Until sent', sendMs),
    ...phase('Waiting', waitMs),
    ...phase('Receiving', receiveMs),
    ...pairOf('Span', call.spanId, { mono: true }),
    ...(call.record === null ? [] : ([['Record of the other side', recordOf(call)]] as const)),
    ...callSitePairs(call.callSite, context),
  ];
}

function bodyBlocks(label: string, body: HttpCall['requestBody']): readonly Block[] {
  if (body === null || body.bytes === 0) return [];
  const size = formatBytes(body.bytes);
  if (body.text === null) return [{ kind: 'text', text: `${label}: ${size}, not kept.` }];
  const text = body.text;
  return [
    {
      kind: 'code',
      label: `${label}, ${size}${body.isCut ? ', the beginning' : ''}`,
      text,
      language: 'text',
    },
  ];
}

function headerBlock(title: string, headers: readonly string[]): Block {
  const pairs: Pair[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    pairs.push([headers[at] ?? '', { text: headers[at + 1] ?? '', mono: true }]);
  return {
    kind: 'section',
    title,
    count: pairs.length,
    folded: true,
    blocks: [{ kind: 'pairs', label: title, pairs, empty: 'Not known.' }],
  };
}

function sectionOf(record: ProfileRecord): HttpSection | undefined {
  return findSection<HttpSection>(record, 'http', ['calls', 'totals']);
}
