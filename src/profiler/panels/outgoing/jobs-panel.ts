import type { JobsSection } from '../../collectors/outgoing/jobs-collector.js';
import { findSection } from '../../collectors/find-section.js';
import type { Block } from '../blocks/block.js';
import {
  badgeOf,
  column,
  wideColumn,
  line,
  mono,
  pairsOf,
  pictureValue,
  section,
  styledText,
} from '../blocks/make-blocks.js';
import { say } from '../../words/say.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { callSitePairs } from '../blocks/place-value.js';
import { callTable } from './outgoing-blocks.js';

/** Jobs that the request added to queues, and the job itself if the record is of a job. */
export const jobsPanel: Panel = createSectionPanel<JobsSection>({
  id: 'jobs',
  title: 'Jobs',
  icon: 'M4 5h16v5H4zm0 9h10m-10 5h10m3-3 2 2 3-4',
  fields: ['sent', 'run'],
  badge: ({ sent, more }) => badgeOf(sent.length + more, '{n} job|{n} jobs') ?? 'plain',
  opens: (record) =>
    (findSection<JobsSection>(record, 'jobs', ['run'])?.run ?? null) !== null && record.exception === null,
  none: 'No job in this record. Queues and workers of BullMQ are seen by one line each: recordJobs(new Queue(…)), recordJobs(new Worker(…)). See docs/taps.md.',
  show: (jobs, _record, context) => [...runBlocks(jobs), ...sentBlocks(jobs, context)],
});

function runBlocks({ run }: JobsSection): readonly Block[] {
  if (run === null) return [];
  const job = pairsOf(say('The job'), [
    [say('Queue'), mono(run.queue)],
    [say('Name'), mono(run.name)],
    [say('Id'), mono(run.id)],
    [say('Attempt'), run.attempt],
    [say('Data'), pictureValue(run.data)],
    [say('Result'), pictureValue(run.result)],
  ]);
  return [section(say('This record is of a job'), job)];
}

function sentBlocks({ sent, run, more }: JobsSection, context: PanelContext): readonly Block[] {
  if (sent.length === 0 && run !== null) return [];
  const jobs = callTable(say('Jobs given to queues'), sent, {
    total: sent.length + more,
    empty: say('No job was given to a queue.'),
    columns: [
      column('Queue', ({ queue }) => mono(queue)),
      wideColumn('Job', ({ name }) => mono(name)),
      column('Id', ({ id }) => mono(id ?? '')),
    ],
    row: ({ data, error, callSite }) => ({
      tone: error === null ? 'neutral' : 'error',
      detail: [
        pairsOf(say('The job'), [
          [say('Error'), styledText(error, { tone: 'error' })],
          [say('Data'), pictureValue(data)],
          ...callSitePairs(callSite, context),
        ]),
      ],
    }),
  });
  return [jobs, line(say('The records of the jobs are in the panel “Trace”, once they have run.'))];
}
