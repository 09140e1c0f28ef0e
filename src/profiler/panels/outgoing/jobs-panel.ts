import type { JobsSection } from '../../collectors/outgoing/jobs-collector.js';
import { findSection } from '../../collectors/find-section.js';
import type { Block } from '../blocks/block.js';
import { mono, note, section } from '../blocks/make-blocks.js';
import { say } from '../../words/say.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { callSitePairs } from '../blocks/place-value.js';
import { callTable, pairOf } from './outgoing-blocks.js';

/** The jobs that a request gave to queues, and the job that a record is of. */
export const jobsPanel: Panel = createSectionPanel<JobsSection>({
  id: 'jobs',
  title: 'Jobs',
  icon: 'M4 5h16v5H4zm0 9h10m-10 5h10m3-3 2 2 3-4',
  fields: ['sent', 'run'],
  badge({ sent, more }) {
    const count = sent.length + more;
    return count === 0 ? 'plain' : { count, tone: 'neutral', words: say('{n} job|{n} jobs', { n: count }) };
  },
  opens: (record) =>
    (findSection<JobsSection>(record, 'jobs', ['run'])?.run ?? null) !== null && record.exception === null,
  none: () =>
    note(
      say(
        'No job in this record. Queues and workers of BullMQ are seen by one line each: recordJobs(new Queue(…)), recordJobs(new Worker(…)). See docs/taps.md.',
      ),
    ),
  show: (jobs, _record, context) => [...runBlocks(jobs), ...sentBlocks(jobs, context)],
});

function runBlocks({ run }: JobsSection): readonly Block[] {
  if (run === null) return [];
  const pairs = [
    [say('Queue'), mono(run.queue)],
    [say('Name'), mono(run.name)],
    [say('Id'), mono(run.id)],
    [say('Attempt'), run.attempt],
    [say('Data'), { text: '', picture: run.data }],
    [say('Result'), { text: '', picture: run.result }],
  ] as const;
  return [section(say('This record is of a job'), { kind: 'pairs', label: say('The job'), pairs })];
}

function sentBlocks({ sent, run, more }: JobsSection, context: PanelContext): readonly Block[] {
  if (sent.length === 0 && run !== null) return [];
  const table = callTable({
    caption: say('Jobs given to queues'),
    calls: sent,
    total: sent.length + more,
    empty: say('No job was given to a queue.'),
    columns: [{ label: say('Queue') }, { label: say('Job'), grow: true }, { label: say('Id') }],
    row: ({ queue, name, id, data, error, callSite }) => ({
      tone: error === null ? 'neutral' : 'error',
      cells: [mono(queue), mono(name), mono(id ?? '')],
      detail: [
        {
          kind: 'pairs',
          label: say('The job'),
          pairs: [
            ...pairOf(say('Error'), error, { tone: 'error' }),
            [say('Data'), { text: '', picture: data }],
            ...callSitePairs(callSite, context),
          ],
        },
      ],
    }),
  });
  return [
    table,
    { kind: 'text', text: say('The records of the jobs are in the panel “Trace”, once they have run.') },
  ];
}
