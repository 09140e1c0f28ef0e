import { callAnchor, hasFailed, type HttpCall, type HttpSection } from './http-collector.js';
import { formatBytes, formatMilliseconds } from '../../model/formatting.js';
import type { Block, Blocks, Pair, RichValue, Tone } from '../../view/block.js';
import { blocksOf, code, furtherItems, line, section } from '../../view/make-blocks.js';
import { badgeOf, callSitePairs, metricsOf, pairSection, pairsOf } from '../../view/make-facts.js';
import { type Column, column, table } from '../../view/make-tables.js';
import { mono, pictureValue, styledText } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { commandAnchor, type CacheSection } from './cache-collector.js';
import type { MailMessage, MailSection } from './mail-collector.js';
import { findSection } from '../define-part.js';
import type { JobsSection } from './jobs-collector.js';
import type { TraceSection } from './outgoing-collectors.js';

/** Start and duration, before the other columns of a table of calls. */
const times: readonly Column<{ readonly offsetMs: number; readonly durationMs: number }>[] = [
  column.after(({ offsetMs }) => offsetMs, { minor: true }),
  column.duration(),
];

export const httpPanel: Panel = createSectionPanel<HttpSection>({
  id: 'http',
  title: 'HTTP client',
  fields: ['calls', 'totals'],
  badge: ({ totals: { calls, failed } }) =>
    badgeOf(calls, '{n} failed HTTP call|{n} failed HTTP calls', { tone: 'warn', n: failed }) ??
    badgeOf(calls, '{n} HTTP call|{n} HTTP calls'),
  none: 'No outgoing request in this record. The global fetch, undici, node:http and node:https are observed without setup; HTTP/2 clients are not. See docs/instrumentation.md.',
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

/** Renders a response status; a dash if there was no response. */
function statusCell(status: number): RichValue {
  return mono(status === 0 ? '–' : String(status));
}

function callTone(call: HttpCall): Tone {
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

export const cachePanel: Panel = createSectionPanel<CacheSection>({
  id: 'cache',
  title: 'Cache',
  fields: ['commands', 'totals'],
  badge: ({ totals: { commands, failed } }) =>
    badgeOf(commands, '{n} failed cache command|{n} failed cache commands', { tone: 'warn', n: failed }) ??
    badgeOf(commands, '{n} cache command|{n} cache commands'),
  none: 'No cache command in this record. ioredis 6 and redis 6 are observed without setup; older versions and other clients are not. See docs/instrumentation.md.',
  show: ({ commands, totals }, _record, context) => [
    metricsOf(
      [totals.commands === 1 ? 'command' : 'commands', totals.commands],
      ['waiting', formatMilliseconds(totals.durationMs)],
      ['hits', totals.hits],
      ['misses', totals.misses],
    ),
    table('Commands', commands, {
      more: totals.commands - commands.length,
      columns: [
        ...times,
        column.plain('Command', ({ command }) => mono(command)),
        column.wide('Key', ({ args }) => mono(args)),
        column.plain('Answer', ({ hit }) => (hit === null ? '–' : hit === 1 ? 'hit' : 'miss')),
      ],
      row: ({ error, callSite }, index) => ({
        anchor: commandAnchor(index),
        tone: error === null ? 'neutral' : 'error',
        detail: [
          pairsOf(
            'The command',
            [['Error', styledText(error, { tone: 'error' })], ...callSitePairs({ callSite }, context)],
            'Where it was asked from is not known.',
          ),
        ],
      }),
    }),
  ],
});

/** Mail messages that the request sent, as recipients see them. */
export const mailPanel: Panel = createSectionPanel<MailSection>({
  id: 'mail',
  title: 'Mail',
  fields: ['messages', 'more'],
  badge({ messages, more }) {
    const failed = messages.filter(({ error }) => error !== null).length;
    const count = messages.length + more;
    return (
      badgeOf(count, '{n} message not sent|{n} messages not sent', { tone: 'error', n: failed }) ??
      badgeOf(count, '{n} message|{n} messages')
    );
  },
  none: 'No mail in this record. nodemailer is seen where require() loaded it, else by one line: recordMail(createTransport(…)). See docs/instrumentation.md.',
  show: ({ messages, more }, _record, context) => [
    messages.map((mail, index) => mailSection(mail, index, context)),
    furtherItems(more, '{n} further message was left out.|{n} further messages were left out.', line),
  ],
  document(record, name) {
    const mail = findSection<MailSection>(record, 'mail', ['messages']);
    return (/^\d{1,3}$/.test(name) ? mail?.messages[Number(name)]?.html : undefined) ?? undefined;
  },
});

function mailSection(mail: MailMessage, index: number, context: PanelContext): Block {
  const { html, text, subject } = mail;
  const attachments = mail.attachments.map(({ name, type, bytes }) => {
    const parts = [name, type, bytes === null ? '' : formatBytes(bytes)];
    return ['Attachment', parts.filter((part) => part !== '').join(', ')] as const;
  });
  const pairs: readonly Pair[] = [
    ['Error', styledText(mail.error, { tone: 'error' })],
    ['From', mail.from.join(', ')],
    ['To', mail.to.join(', ')],
    ['Cc', mail.cc.join(', ')],
    ['Bcc', mail.bcc.join(', ')],
    ...attachments,
    ['Message-ID', styledText(mail.messageId)],
    ['Sending took', formatMilliseconds(mail.durationMs)],
    ...callSitePairs(mail, context),
  ];
  const href = context.link('mail', { document: String(index) });
  return section(subject || '(no subject)', [
    pairsOf('Message', pairs),
    html !== null && { kind: 'document', label: `Preview of “${subject}”`, href },
    text !== null && code('Text', text, 'text'),
  ]);
}

/** Jobs that the request added to queues, and the job itself if the record is of a job. */
export const jobsPanel: Panel = createSectionPanel<JobsSection>({
  id: 'jobs',
  title: 'Jobs',
  fields: ['sent', 'run'],
  badge: ({ sent, more }) => badgeOf(sent.length + more, '{n} job|{n} jobs') ?? 'plain',
  opens: (record) =>
    (findSection<JobsSection>(record, 'jobs', ['run'])?.run ?? null) !== null && record.exception === null,
  none: 'No job in this record. Queues and workers of BullMQ and channels of amqplib are seen by one line each: recordJobs(new Queue(…)), recordJobs(new Worker(…)), recordJobs(channel). See docs/instrumentation.md.',
  show: (jobs, _record, context) => [
    jobs.run && runSection(jobs.run),
    (jobs.sent.length > 0 || jobs.run === null) && sentBlocks(jobs, context),
  ],
});

function runSection(run: NonNullable<JobsSection['run']>): Block {
  return section(
    'This record is of a job',
    pairsOf('The job', [
      ['Queue', mono(run.queue)],
      ['Name', mono(run.name)],
      ['Id', mono(run.id)],
      ['Attempt', run.attempt],
      ['Data', pictureValue(run.data)],
      ['Result', pictureValue(run.result)],
    ]),
  );
}

function sentBlocks({ sent, more }: JobsSection, context: PanelContext): Blocks {
  const jobs = table('Jobs given to queues', sent, {
    more,
    empty: 'No job was queued.',
    columns: [
      ...times,
      column.plain('Queue', ({ queue }) => mono(queue)),
      column.wide('Job', ({ name }) => mono(name)),
      column.plain('Id', ({ id }) => mono(id ?? '')),
    ],
    row: ({ data, error, callSite }) => ({
      tone: error === null ? 'neutral' : 'error',
      detail: [
        pairsOf('The job', [
          ['Error', styledText(error, { tone: 'error' })],
          ['Data', pictureValue(data)],
          ...callSitePairs({ callSite }, context),
        ]),
      ],
    }),
  });
  return [jobs, line('The records of the jobs are in the panel “Trace”, once they have run.')];
}

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
  none: 'No trace in this record. One is continued where a request comes with traceparent, and begun with the first outgoing request or job. See docs/instrumentation.md.',
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
