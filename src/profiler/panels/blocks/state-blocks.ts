import { say, sayKnown } from '../../words/say.js';
import type { ProcessAccount, Retention } from '../../model/profile-store.js';
import type { ProfilerCounters, StoreState } from '../../model/profiler-state.js';
import type { Block, Metric } from './block.js';
import {
  column,
  end,
  further,
  metric,
  metricsOf,
  mono,
  note,
  type Pair,
  pairsOf,
  present,
  section,
  styled,
  table,
} from './make-blocks.js';
import { formatBytes, formatCount, formatMilliseconds } from '../../words/format.js';

/** Bounds of what is kept of the application's records. */
export type KeptAtMost = Pick<Retention, 'records' | 'ageMs' | 'bytes'>;

/** How the profiler is at this moment. */
export interface ProfilerFacts {
  readonly state: StoreState;
  readonly counters: ProfilerCounters;
  /** Bounds of what is kept; undefined where they are unknown. */
  readonly retention: KeptAtMost | undefined;
  /** Of each process that shares the store; empty where the store does not report it. */
  readonly processes?: readonly ProcessAccount[];
}

/** The profiler's own state: its store, its counters and how they add up. */
export function stateBlocks(facts: ProfilerFacts): readonly Block[] {
  const { state, counters } = facts;
  const message = state.code === null ? state.message : `${state.message} (${state.code})`;
  return [
    ...present(state.message !== '' && note(message, state.status === 'ready' ? 'info' : 'warn')),
    section(say('This process'), [
      ...accountBlocks(counters),
      pairsOf(say('Store'), storePairs(facts)),
      ...processTable(facts.processes ?? []),
    ]),
  ];
}

/** A command line that reads the records of others has made none. */
function hasRecorded({ made, sampledOut, open }: ProfilerCounters): boolean {
  return made + sampledOut + open > 0;
}

function accountBlocks(counters: ProfilerCounters): readonly Block[] {
  if (!hasRecorded(counters)) return [note(say('This process has made no records.'))];
  return [
    metricsOf(counterMetrics(counters)),
    note(accountOf(counters)),
    pairsOf(say('Cost in this process'), costPairs(counters)),
  ];
}

/** Of all its records together, by the clock. */
function costPairs({ recordingMs, made }: ProfilerCounters): readonly Pair[] {
  return [
    [say('Writing down records'), formatMilliseconds(recordingMs)],
    [say('For each record'), formatMilliseconds(made === 0 ? 0 : recordingMs / made)],
    [say('Share of its running time'), `${(recordingMs / process.uptime() / 10).toFixed(2)} %`],
  ];
}

const maxProcesses = 50;

function processTable(processes: readonly ProcessAccount[]): readonly Block[] {
  // Those that ended and whose records went, too, say nothing any more.
  const shown = processes.filter(({ state, stored, pending }) => state === 'running' || stored + pending > 0);
  if (shown.length === 0) return [];
  return [
    table(say('Processes that share the store'), shown.slice(0, maxProcesses), {
      columns: [
        column('Process', ({ host, pid, version }) =>
          mono(`${host} ${pid}${version === '' ? '' : ` · ${version}`}`),
        ),
        column('State', ({ state }) => state),
        end('made', ({ made }) => made),
        end('stored', ({ stored }) => stored),
        end('pruned', ({ pruned }) => pruned),
        end('dropped', ({ dropped }) => dropped),
        // What it had in memory when it was last seen.
        end('pending', ({ state, pending }) =>
          state === 'lost' && pending > 0 ? say('{n} lost', { n: pending }) : pending,
        ),
        column('Last seen', ({ seenAt }) => ({ text: '', time: seenAt }), { grow: true, minor: true }),
      ],
      row: ({ state }) => ({ tone: state === 'lost' ? 'warn' : 'neutral' }),
    }),
    ...further(shown.length - maxProcesses, '{n} further process|{n} further processes'),
  ];
}

function counterMetrics(counters: ProfilerCounters): readonly Metric[] {
  const dropped = total(counters.dropped);
  return [
    metric('records made', counters.made),
    ...present(counters.sampledOut > 0 && metric('left out by sampling', counters.sampledOut)),
    metric('stored', counters.stored),
    metric('pruned', total(counters.pruned)),
    metric('dropped', dropped, dropped > 0 ? 'warn' : undefined),
    metric('pending', counters.pending),
  ];
}

/** What became of the records, and the sum that must always hold, written out with its figures. */
function accountOf(counters: ProfilerCounters): string {
  const dropped = total(counters.dropped);
  const fate = dropped === 0 ? say('none lost') : say('{n} lost', { n: dropped });
  return `${say('{n} record|{n} records', { n: counters.made })}, ${fate}: ${sumOf(counters)}.`;
}

function sumOf(counters: ProfilerCounters): string {
  const parts = [
    `${formatCount(counters.stored)} ${say('stored')}`,
    ...named(counters.pruned, say('pruned by')),
    ...named(counters.dropped, `${say('dropped')}:`),
    `${formatCount(counters.pending)} ${say('pending')}`,
  ];
  const sum = counters.stored + total(counters.pruned) + total(counters.dropped) + counters.pending;
  const holds = sum === counters.made ? '' : ` (${say('{n} apart', { n: sum - counters.made })})`;
  return `${formatCount(counters.made)} ${say('made')} = ${parts.join(' + ')}${holds}`;
}

function named(counts: Readonly<Record<string, number>>, words: string): readonly string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${formatCount(count)} ${words} ${reason}`);
}

function storePairs({ state, counters, retention }: ProfilerFacts): readonly Pair[] {
  // Since when a command line has the store open, and what it counted, says nothing about the records that it reads.
  const showsOwn = hasRecorded(counters) || state.status !== 'ready';
  return [
    [say('Store'), { text: state.store, mono: true, copy: true }],
    [say('State'), { text: sayKnown(state.status), tone: state.status === 'ready' ? 'ok' : 'warn' }],
    [say('Since'), showsOwn ? { text: '', time: state.since } : null],
    [say('Records in the store'), state.records],
    [say('Size of the store'), state.bytes === null ? null : formatBytes(state.bytes)],
    [say('Keeps at most'), retention && retentionText(retention)],
    [say('Set aside'), styled(state.setAside)],
    [say('In progress'), showsOwn ? counters.open : null],
    [say('Token collisions'), showsOwn ? counters.renamed : null],
    [say('Internal errors'), showsOwn ? counters.failures : null],
  ];
}

function retentionText({ records, ageMs, bytes }: KeptAtMost): string {
  const days = ageMs / 86_400_000;
  return say('{n} record, {size}, {days} days|{n} records, {size}, {days} days', {
    n: records,
    size: formatBytes(bytes),
    days: days.toFixed(days < 10 ? 1 : 0),
  });
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
