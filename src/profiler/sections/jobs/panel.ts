import type { Block, Blocks } from '../../view/block.js';
import { line, section } from '../../view/make-blocks.js';
import { badgeOf, callSitePairs, pairsOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { mono, snapshotValue, styledText } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { findSection } from '../define-section.js';
import type { JobsSection } from './section.js';
import { times } from '../../view/call-columns.js';

/** Jobs the request added to queues, and the job itself in a job's record. */
export const jobsPanel: Panel = createSectionPanel<JobsSection>({
  id: 'jobs',
  title: 'Jobs',
  fields: ['sent', 'run'],
  badge: ({ sent, more }) => badgeOf(sent.length + more, '{n} job|{n} jobs') ?? 'plain',
  opens: (record) =>
    (findSection<JobsSection>(record, 'jobs', ['run'])?.run ?? null) !== null && record.exception === null,
  none: 'No jobs in this record. BullMQ queues and workers and amqplib channels are recorded with one line each: recordJobs(new Queue(…)), recordJobs(new Worker(…)), recordJobs(channel). See docs/guides/instrumentation.md.',
  show: (jobs, _record, context) => [
    jobs.run && runSection(jobs.run),
    (jobs.sent.length > 0 || jobs.run === null) && sentBlocks(jobs, context),
  ],
});

function runSection(run: NonNullable<JobsSection['run']>): Block {
  return section(
    'This is the record of a job',
    pairsOf('The job', [
      ['Queue', mono(run.queue)],
      ['Name', mono(run.name)],
      ['Id', mono(run.id)],
      ['Attempt', run.attempt],
      ['Data', snapshotValue(run.data)],
      ['Result', snapshotValue(run.result)],
    ]),
  );
}

function sentBlocks({ sent, more }: JobsSection, context: PanelContext): Blocks {
  const jobs = table('Jobs added to queues', sent, {
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
          ['Data', snapshotValue(data)],
          ...callSitePairs({ callSite }, context),
        ]),
      ],
    }),
  });
  return [jobs, line('The records of the jobs are in the panel “Trace”, once they have run.')];
}
