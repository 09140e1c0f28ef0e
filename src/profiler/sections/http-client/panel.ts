import { type HttpCall, type HttpSection, callAnchor, hasFailed } from './section.js';
import { formatBytes, formatMilliseconds } from '../../model/formatting.js';
import type { Block, Pair, RichValue, Tone } from '../../view/block.js';
import { blocksOf, code, line } from '../../view/make-blocks.js';
import { badgeOf, callSitePairs, metricsOf, pairSection, pairsOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { mono, styledText } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { statusCell, times } from '../../view/call-columns.js';

export const httpPanel: Panel = createSectionPanel<HttpSection>({
  id: 'http',
  title: 'HTTP client',
  fields: ['calls', 'totals'],
  badge: ({ totals: { calls, failed } }) =>
    badgeOf(calls, '{n} failed HTTP call|{n} failed HTTP calls', { tone: 'warn', n: failed }) ??
    badgeOf(calls, '{n} HTTP call|{n} HTTP calls'),
  none: 'No outgoing request in this record. The global fetch, undici, node:http, node:https and node:http2 are observed without setup. See docs/guides/instrumentation.md.',
  show: ({ calls, totals }, _record, context) => [
    metricsOf(
      [totals.calls === 1 ? 'call' : 'calls', totals.calls],
      ['waiting', formatMilliseconds(totals.durationMs)],
      totals.failed > 0 && ['failed', totals.failed, 'warn'],
    ),
    table('Outgoing requests', calls, {
      more: totals.calls - calls.length,
      columns: [
        ...times,
        column.number('Status', (call) => ({ ...statusCell(call.status), tone: callTone(call) })),
        column.plain('Method', ({ method }) => mono(method)),
        column.wide('URL', ({ url }) => mono(url)),
        column.minor('Record', recordOf),
      ],
      row: (call, index) => ({
        anchor: callAnchor(index),
        tone: callTone(call),
        detail: blocksOf(
          pairsOf('The call', callPairs(call, context)),
          bodyBlock('Request body', call.requestBody),
          bodyBlock('Response body', call.responseBody),
          headerBlock('Request headers', call.requestHeaders),
          headerBlock('Response headers', call.responseHeaders),
        ),
      }),
    }),
  ],
});

function callTone(call: HttpCall): Tone {
  if (call.error !== null || call.status >= 500) return 'error';
  return hasFailed(call) ? 'warn' : 'neutral';
}

function stateOf({ isOpen, isCancelled }: HttpCall): string | null {
  if (isCancelled === true) return 'cancelled by the application';
  return isOpen ? 'still open when the request ended' : null;
}

function recordOf({ record, recordLink }: HttpCall): RichValue {
  return { ...mono(record ?? ''), ...(recordLink === null ? {} : { href: recordLink }) };
}

function callPairs(call: HttpCall, context: PanelContext): readonly Pair[] {
  const { sendMs, waitMs, receiveMs } = call.phases;
  const phase = (ms: number): string | null => (ms === 0 ? null : formatMilliseconds(ms));
  return [
    ['Error', styledText(call.error, { tone: 'error' })],
    ['State', stateOf(call)],
    ['Until sent', phase(sendMs)],
    ['Waiting', phase(waitMs)],
    ['Receiving', phase(receiveMs)],
    ['Span', styledText(call.spanId)],
    ['Record of the called service', call.record === null ? null : recordOf(call)],
    ...callSitePairs(call, context),
  ];
}

function bodyBlock(label: string, body: HttpCall['requestBody']): Block | undefined {
  if (body === null || body.bytes === 0) return undefined;
  const size = formatBytes(body.bytes);
  if (body.text === null) return line(`${label}: ${size}, not kept.`);
  return code(`${label}, ${body.isCut ? `the beginning of ${size}` : size}`, body.text, 'text');
}

function headerBlock(title: string, headers: readonly string[]): Block {
  const pairs = headers.flatMap((name, at): Pair[] =>
    at % 2 === 0 ? [[name, mono(headers[at + 1] ?? '')]] : [],
  );
  return pairSection(title, pairs, { empty: 'Not known.', count: pairs.length, folded: true });
}
