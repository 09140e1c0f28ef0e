import { formatBytes, formatMilliseconds } from '../../words/format.js';
import type { Block } from '../blocks/block.js';
import {
  type Pair,
  badgeOf,
  callSitePairs,
  code,
  column,
  compact,
  furtherItems,
  ifPresent,
  line,
  metric,
  metricsOf,
  mono,
  muted,
  numberColumn,
  pairsOf,
  pictureValue,
  section,
  styledText,
  table,
  wideColumn,
} from '../blocks/make-blocks.js';
import { type CacheSection, commandAnchor } from '../../collectors/outgoing/cache-collector.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import type { MailMessage, MailSection } from '../../collectors/outgoing/mail-collector.js';
import { findSection } from '../../collectors/find-section.js';
import { say } from '#phrases';
import type { JobsSection } from '../../collectors/outgoing/jobs-collector.js';
import type { TraceSection } from '../../collectors/outgoing/trace-collector.js';
import { callTable, statusCell } from './http-panel.js';

const answers = ['miss', 'hit'] as const;

/** Cache commands of the request. */
export const cachePanel: Panel = createSectionPanel<CacheSection>({
  id: 'cache',
  title: 'Cache',
  fields: ['commands', 'totals'],
  badge: ({ totals: { commands, failed } }) =>
    badgeOf(commands, '{n} failed cache command|{n} failed cache commands', { tone: 'warn', n: failed }) ??
    badgeOf(commands, '{n} cache command|{n} cache commands'),
  none: 'No cache command in this record. ioredis 6 and redis 6 are observed without setup; older versions and other clients are not. See docs/taps.md.',
  show: ({ commands, totals }, _record, context) => [
    metricsOf([
      metric(say('command|commands', { n: totals.commands }), totals.commands),
      metric('waiting', formatMilliseconds(totals.durationMs)),
      metric('hits', totals.hits),
      metric('misses', totals.misses),
    ]),
    callTable('Commands', commands, {
      total: totals.commands,
      columns: [
        column('Command', ({ command }) => mono(command)),
        wideColumn('Key', ({ args }) => mono(args)),
        column('Answer', ({ hit }) => (hit === null ? '–' : (answers[hit] ?? 'miss'))),
      ],
      row: ({ error, callSite }, index) => ({
        anchor: commandAnchor(index),
        tone: error === null ? 'neutral' : 'error',
        detail: [
          pairsOf(
            'The command',
            [['Error', styledText(error, { tone: 'error' })], ...callSitePairs(callSite, context)],
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
  none: 'No mail in this record. nodemailer is seen where require() loaded it, else by one line: recordMail(createTransport(…)). See docs/taps.md.',
  show: ({ messages, more }, _record, context) => [
    ...messages.map((mail, index) => blockOf(mail, index, context)),
    ...furtherItems(more, '{n} further message was left out.|{n} further messages were left out.', line),
  ],
  document(record, name) {
    const mail = findSection<MailSection>(record, 'mail', ['messages']);
    return (/^\d{1,3}$/.test(name) ? mail?.messages[Number(name)]?.html : undefined) ?? undefined;
  },
});

function blockOf(mail: MailMessage, index: number, context: PanelContext): Block {
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
    ...callSitePairs(mail.callSite, context),
  ];
  const href = context.link('mail', { document: String(index) });
  return section(subject === '' ? '(no subject)' : subject, [
    pairsOf('Message', pairs),
    ...compact<Block>(
      html !== null && {
        kind: 'document',
        label: say('Preview of “{subject}”', { subject }),
        href,
      },
    ),
    ...ifPresent(text, (body) => code('Text', body, 'text')),
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
  none: 'No job in this record. Queues and workers of BullMQ are seen by one line each: recordJobs(new Queue(…)), recordJobs(new Worker(…)). See docs/taps.md.',
  show: (jobs, _record, context) => [...runBlocks(jobs), ...sentBlocks(jobs, context)],
});

function runBlocks({ run }: JobsSection): readonly Block[] {
  if (run === null) return [];
  const job = pairsOf('The job', [
    ['Queue', mono(run.queue)],
    ['Name', mono(run.name)],
    ['Id', mono(run.id)],
    ['Attempt', run.attempt],
    ['Data', pictureValue(run.data)],
    ['Result', pictureValue(run.result)],
  ]);
  return [section('This record is of a job', job)];
}

function sentBlocks({ sent, run, more }: JobsSection, context: PanelContext): readonly Block[] {
  if (sent.length === 0 && run !== null) return [];
  const jobs = callTable('Jobs given to queues', sent, {
    total: sent.length + more,
    empty: 'No job was given to a queue.',
    columns: [
      column('Queue', ({ queue }) => mono(queue)),
      wideColumn('Job', ({ name }) => mono(name)),
      column('Id', ({ id }) => mono(id ?? '')),
    ],
    row: ({ data, error, callSite }) => ({
      tone: error === null ? 'neutral' : 'error',
      detail: [
        pairsOf('The job', [
          ['Error', styledText(error, { tone: 'error' })],
          ['Data', pictureValue(data)],
          ...callSitePairs(callSite, context),
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
  none: 'No trace in this record. One is continued where a request comes with traceparent, and begun with the first outgoing request or job. See docs/taps.md.',
  show: ({ trace, received }, record, context) => [
    table(
      'Requests and jobs of this trace',
      context.related.toSorted((one, other) => one.startedAt - other.startedAt),
      {
        columns: [
          numberColumn('After', ({ startedAt }) => muted(formatMilliseconds(startedAt - record.startedAt))),
          numberColumn('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
          numberColumn('Status', ({ status }) => statusCell(status)),
          column('Method', ({ method }) => mono(method)),
          { label: 'URL', grow: true, cell: ({ url }) => mono(url) },
          column('Record', ({ token }) =>
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
