import type { JobsSection } from '../../collectors/outgoing/jobs-collector.js';
import { findSection } from '../../collectors/find-section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block, Row } from '../blocks/block.js';
import { formatMilliseconds, plural } from '../../words/format.js';
import type { Panel, PanelContext } from '../panel.js';
import { callSitePairs, nothingRecorded, pairOf, timeCell } from './outgoing-blocks.js';

/** The jobs that a request gave to queues, and the job that a record is of. */
export const jobsPanel: Panel = {
  id: 'jobs',
  title: 'Jobs',
  icon: 'M4 5h16v5H4zm0 9h10m-10 5h10m3-3 2 2 3-4',
  section: 'jobs',
  badge(record) {
    const section = sectionOf(record);
    if (section === undefined) return undefined;
    const count = section.sent.length + section.more;
    return count === 0 ? 'plain' : { count, tone: 'neutral', words: plural(count, 'job') };
  },
  opens: (record) => (sectionOf(record)?.run ?? null) !== null && record.exception === null,
  show(record, context) {
    const section = sectionOf(record);
    if (section === undefined)
      return nothingRecorded(
        'job',
        'Queues and workers of BullMQ are seen by one line each: recordJobs(new Queue(…)), recordJobs(new Worker(…)).',
      );
    return [...runBlocks(section), ...sentBlocks(section, context)];
  },
};

function runBlocks({ run }: JobsSection): readonly Block[] {
  if (run === null) return [];
  const pairs = [
    ['Queue', { text: run.queue, mono: true }],
    ['Name', { text: run.name, mono: true }],
    ['Id', { text: run.id, mono: true }],
    ['Attempt', run.attempt],
    ['Data', { text: '', picture: run.data }],
    ['Result', { text: '', picture: run.result }],
  ] as const;
  return [
    {
      kind: 'section',
      title: 'This record is of a job',
      blocks: [{ kind: 'pairs', label: 'The job', pairs, empty: '' }],
    },
  ];
}

function sentBlocks({ sent, run, more }: JobsSection, context: PanelContext): readonly Block[] {
  if (sent.length === 0 && run !== null) return [];
  return [
    {
      kind: 'table',
      caption: `Jobs given to queues${more > 0 ? `, the first ${sent.length} of ${sent.length + more}` : ''}`,
      columns: [
        { label: 'After', align: 'end', minor: true },
        { label: 'Duration', align: 'end' },
        { label: 'Queue' },
        { label: 'Job', grow: true },
        { label: 'Id' },
      ],
      rows: sent.map((job): Row => ({
        tone: job.error === null ? 'neutral' : 'error',
        cells: [
          { text: formatMilliseconds(job.offsetMs), mono: true, muted: true },
          timeCell(job.durationMs),
          { text: job.queue, mono: true },
          { text: job.name, mono: true },
          { text: job.id ?? '', mono: true },
        ],
        detail: [
          {
            kind: 'pairs',
            label: 'The job',
            pairs: [
              ...pairOf('Error', job.error, { tone: 'error' }),
              ['Data', { text: '', picture: job.data }],
              ...callSitePairs(job.callSite, context),
            ],
            empty: '',
          },
        ],
      })),
      empty: 'No job was given to a queue.',
    },
    { kind: 'text', text: 'The records of the jobs are in the panel “Trace”, once they have run.' },
  ];
}

function sectionOf(record: ProfileRecord): JobsSection | undefined {
  return findSection<JobsSection>(record, 'jobs', ['sent', 'run']);
}
