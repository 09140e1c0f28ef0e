import {
  type HttpCall,
  type HttpSection,
  callAnchor,
  hasFailed,
} from '../../collectors/outgoing/http-collector.js';
import { formatBytes, formatMilliseconds } from '../../words/format.js';
import type { Block, RichValue, Tone } from '../blocks/block.js';
import {
  type Pair,
  type TableParts,
  badgeOf,
  callSitePairs,
  captionOf,
  column,
  compact,
  line,
  metric,
  metricsOf,
  minorColumn,
  mono,
  muted,
  numberColumn,
  pairsOf,
  section,
  styledText,
  table,
} from '../blocks/make-blocks.js';
import { say } from '#phrases';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';

interface Call {
  readonly offsetMs: number;
  readonly durationMs: number;
}

/** Creates a table of calls: start and duration before the other columns. `total` includes calls that were not recorded. */
export function callTable<Given extends Call>(
  caption: string,
  calls: readonly Given[],
  { total, columns, row, empty = '' }: TableParts<Given> & { readonly total: number },
): Block {
  return table(captionOf(caption, { shown: calls.length, more: total - calls.length }), calls, {
    columns: [
      numberColumn('After', ({ offsetMs }) => muted(formatMilliseconds(offsetMs)), { minor: true }),
      numberColumn('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
      ...columns,
    ],
    ...(row === undefined ? {} : { row }),
    empty,
  });
}

/** Outgoing HTTP requests of the request. */
export const httpPanel: Panel = createSectionPanel<HttpSection>({
  id: 'http',
  title: 'HTTP client',
  fields: ['calls', 'totals'],
  badge: ({ totals: { calls, failed } }) =>
    badgeOf(calls, '{n} failed HTTP call|{n} failed HTTP calls', { tone: 'warn', n: failed }) ??
    badgeOf(calls, '{n} HTTP call|{n} HTTP calls'),
  none: 'No outgoing request in this record. The global fetch, undici, node:http and node:https are observed without setup; HTTP/2 clients are not. See docs/taps.md.',
  show: ({ calls, totals }, _record, context) => [
    metricsOf([
      metric(say('call|calls', { n: totals.calls }), totals.calls),
      metric('waiting', formatMilliseconds(totals.durationMs)),
      ...compact(totals.failed > 0 && metric('failed', totals.failed, 'warn')),
    ]),
    callTable('Outgoing requests', calls, {
      total: totals.calls,
      columns: [
        numberColumn('Status', (call) => ({ ...statusCell(call.status), tone: toneOf(call) })),
        column('Method', ({ method }) => mono(method)),
        { label: 'URL', grow: true, cell: ({ url }) => mono(url) },
        minorColumn('Record', recordOf),
      ],
      row: (call, index) => ({
        anchor: callAnchor(index),
        tone: toneOf(call),
        detail: detailOf(call, context),
      }),
    }),
  ],
});

/** Renders a response status; a dash if there was no response. */
export function statusCell(status: number): RichValue {
  return mono(status === 0 ? '–' : String(status));
}

function detailOf(call: HttpCall, context: PanelContext): readonly Block[] {
  return [
    pairsOf('The call', callPairs(call, context)),
    ...bodyBlocks('Request body', call.requestBody),
    ...bodyBlocks('Response body', call.responseBody),
    headerBlock('Request headers', call.requestHeaders),
    headerBlock('Response headers', call.responseHeaders),
  ];
}

function toneOf(call: HttpCall): Tone {
  if (call.error !== null || call.status >= 500) return 'error';
  return hasFailed(call) ? 'warn' : 'neutral';
}

function recordOf({ record, recordLink }: HttpCall): RichValue {
  return { ...mono(record ?? ''), ...(recordLink === null ? {} : { href: recordLink }) };
}

function callPairs(call: HttpCall, context: PanelContext): readonly Pair[] {
  const { sendMs, waitMs, receiveMs } = call.phases;
  const phase = (ms: number): string | null => (ms === 0 ? null : formatMilliseconds(ms));
  return [
    ['Error', styledText(call.error, { tone: 'error' })],
    ['State', call.isOpen ? 'still open when the request ended' : null],
    ['Until sent', phase(sendMs)],
    ['Waiting', phase(waitMs)],
    ['Receiving', phase(receiveMs)],
    ['Span', styledText(call.spanId)],
    ['Record of the other side', call.record === null ? null : recordOf(call)],
    ...callSitePairs(call.callSite, context),
  ];
}

function bodyBlocks(label: string, body: HttpCall['requestBody']): readonly Block[] {
  if (body === null || body.bytes === 0) return [];
  const size = formatBytes(body.bytes);
  if (body.text === null) return [line(say('{label}: {size}, not kept.', { label, size }))];
  const name = `${label}, ${body.isCut ? say('the beginning of {size}', { size }) : size}`;
  return [{ kind: 'code', label: name, text: body.text, language: 'text' }];
}

function headerBlock(title: string, headers: readonly string[]): Block {
  const pairs: Pair[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    pairs.push([headers[at] ?? '', mono(headers[at + 1] ?? '')]);
  const fields: Block = pairsOf(title, pairs, 'Not known.');
  return section(title, fields, { count: pairs.length, folded: true });
}
