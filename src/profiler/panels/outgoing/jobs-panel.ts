import type { JobsSection } from '../../collectors/outgoing/jobs-collector.js';
import { findSection } from '../../collectors/find-section.js';
import { plural } from '../../words/format.js';
import type { Block } from '../blocks/block.js';
import { mono, section } from '../blocks/make-blocks.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { callSitePairs, callTable, noneTold, pairOf } from './outgoing-blocks.js';

/** The jobs that a request gave to queues, and the job that a record is of. */
export const jobsPanel: Panel = createSectionPanel<JobsSection>({
  id: 'jobs',
  title: 'Jobs',
  icon: 'M4 5h16v5H4zm0 9h10m-10 5h10m3-3 2 2 3-4',
  fields: ['sent', 'run'],
  badge({ sent, more }) {
    const count = sent.length + more;
    return count === 0 ? 'plain' : { count, tone: 'neutral', words: plural(count, 'job') };
  },
  opens: (record) =>
    (findSection<JobsSection>(record, 'jobs', ['run'])?.run ?? null) !== null && record.exception === null,
  none: () =>
    noneTold(
      'job',
      'Queues and workers of BullMQ are seen by one line each: recordJobs(new Queue(…)), recordJobs(new Worker(…)).',
    ),
  show: (jobs, _record, context) => [...runBlocks(jobs), ...sentBlocks(jobs, context)],
});

function runBlocks({ run }: JobsSection): readonly Block[] {
  if (run === null) return [];
  const pairs = [
    ['Queue', mono(run.queue)],
    ['Name', mono(run.name)],
    ['Id', mono(run.id)],
    ['Attempt', run.attempt],
    ['Data', { text: '', picture: run.data }],
    ['Result', { text: '', picture: run.result }],
  ] as const;
  return [section('This record is of a job', { kind: 'pairs', label: 'The job', pairs })];
}

function sentBlocks({ sent, run, more }: JobsSection, context: PanelContext): readonly Block[] {
  if (sent.length === 0 && run !== null) return [];
  const table = callTable({
    caption: 'Jobs given to queues',
    calls: sent,
    total: sent.length + more,
    empty: 'No job was given to a queue.',
    columns: [{ label: 'Queue' }, { label: 'Job', grow: true }, { label: 'Id' }],
    row: ({ queue, name, id, data, error, callSite }) => ({
      tone: error === null ? 'neutral' : 'error',
      cells: [mono(queue), mono(name), mono(id ?? '')],
      detail: [
        {
          kind: 'pairs',
          label: 'The job',
          pairs: [
            ...pairOf('Error', error, { tone: 'error' }),
            ['Data', { text: '', picture: data }],
            ...callSitePairs(callSite, context),
          ],
        },
      ],
    }),
  });
  return [
    table,
    { kind: 'text', text: 'The records of the jobs are in the panel “Trace”, once they have run.' },
  ];
}
