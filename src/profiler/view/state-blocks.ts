import { say } from '#core/phrases';
import type { Retention } from '../storage/tables/retention.js';
import type { ProfilerCounters, StoreState } from '../model/profiler.js';
import type { Block } from './block.js';
import { blocksOf, compact, note, section } from './make-blocks.js';
import { pairsOf } from './make-facts.js';
import { formatBytes, formatCount, formatMilliseconds } from '../model/formatting.js';

/** Limits on the application's stored records. */
export type RetentionBounds = Pick<Retention, 'records' | 'ageDays' | 'bytes'> &
  Partial<Pick<Retention, 'failures'>>;

interface ProfilerFacts {
  readonly state: StoreState;
  readonly counters: ProfilerCounters;
  /** Limits on stored records; undefined if unknown. */
  readonly retention?: RetentionBounds | undefined;
}

/** Returns blocks about the profiler itself: what happened to its records, and its store. */
export function stateBlocks({ state, counters, retention }: ProfilerFacts): readonly Block[] {
  const { made, recordingMs, sampledOut, open } = counters;
  const message = state.code === null ? state.message : `${state.message} (${state.code})`;
  const isLosing = Object.values(counters.dropped).some((count) => count > 0);
  return blocksOf(
    state.message !== '' && note(message, state.status === 'ready' ? 'info' : 'warn'),
    section('This process', [
      note(describeRecords(counters), isLosing ? 'warn' : 'neutral'),
      pairsOf('Store', [
        ['Store', { text: state.store, mono: true, copy: true }],
        ['State', { text: state.status, tone: state.status === 'ready' ? 'ok' : 'warn' }],
        ['Since', { text: '', time: state.since }],
        ['Records in the store', state.records],
        ['Size of the store', state.bytes === null ? null : formatBytes(state.bytes)],
        ['Keeps at most', retention && retentionText(retention)],
        ['Time spent recording', formatMilliseconds(recordingMs)],
        ['For each record', formatMilliseconds(made === 0 ? 0 : recordingMs / made)],
        ['In progress', open],
        ['Left out by sampling', sampledOut > 0 ? formatCount(sampledOut) : null],
        ['Internal errors', counters.failures],
      ]),
    ]),
  );
}

/** Describes what happened to the records, each counted once. */
function describeRecords({ made, stored, pruned, dropped, pending }: ProfilerCounters): string {
  const fates = [
    `${formatCount(stored)} stored`,
    ...compact(pruned > 0 && `${formatCount(pruned)} pruned before they were written`),
    ...Object.entries(dropped).flatMap(([reason, count]) =>
      count > 0 ? [`${formatCount(count)} lost (${reason})`] : [],
    ),
    `${formatCount(pending)} pending`,
  ];
  return `${say('{n} record|{n} records', { n: made })}: ${fates.join(', ')}.`;
}

function retentionText({ records, failures = 0, ageDays, bytes }: RetentionBounds): string {
  const days = Number(ageDays.toFixed(1));
  const beside = say(' and {n} older failure| and {n} older failures', { n: failures });
  return `${say('{n} record|{n} records', { n: records })}${failures > 0 ? beside : ''}, ${formatBytes(bytes)}, ${formatCount(days)} days`;
}
