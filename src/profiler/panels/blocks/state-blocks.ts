import { say } from '#phrases';
import type { Retention } from '../../tables/record-store.js';
import type { ProfilerCounters, StoreState } from '../../model/profiler-state.js';
import type { Block } from './block.js';
import { note, type Pair, pairsOf, compact, section, styledText } from './make-blocks.js';
import { formatBytes, formatCount, formatMilliseconds } from '../../words/format.js';

/** Bounds of the stored records of the application. */
export type RetentionBounds = Pick<Retention, 'records' | 'ageMs' | 'bytes'>;

/** Current state of the profiler. */
export interface ProfilerFacts {
  readonly state: StoreState;
  readonly counters: ProfilerCounters;
  /** Bounds of the stored records; undefined if unknown. */
  readonly retention: RetentionBounds | undefined;
}

/** Returns blocks about the profiler itself: its store, its counters and how they add up. */
export function stateBlocks(facts: ProfilerFacts): readonly Block[] {
  const { state, counters } = facts;
  const message = state.code === null ? state.message : `${state.message} (${state.code})`;
  return [
    ...compact(state.message !== '' && note(message, state.status === 'ready' ? 'info' : 'warn')),
    section('This process', [...accountBlocks(counters), pairsOf('Store', storePairs(facts))]),
  ];
}

/** Returns whether this process records requests; a CLI that only reads a store does not. */
function hasRecorded({ made, sampledOut, open }: ProfilerCounters): boolean {
  return made + sampledOut + open > 0;
}

function accountBlocks(counters: ProfilerCounters): readonly Block[] {
  if (!hasRecorded(counters)) return [note('This process has made no records.')];
  return [
    note(describeAccount(counters), total(counters.dropped) > 0 ? 'warn' : 'neutral'),
    pairsOf('Cost in this process', costPairs(counters)),
  ];
}

/** Wall-clock cost of all records of the process. */
function costPairs({ recordingMs, made }: ProfilerCounters): readonly Pair[] {
  return [
    ['Time spent recording', formatMilliseconds(recordingMs)],
    ['For each record', formatMilliseconds(made === 0 ? 0 : recordingMs / made)],
    ['Share of its running time', `${(recordingMs / process.uptime() / 10).toFixed(2)} %`],
  ];
}

/** Describes what happened to the records, with the sum that must always hold. */
function describeAccount(counters: ProfilerCounters): string {
  const dropped = total(counters.dropped);
  const fate = dropped === 0 ? 'none lost' : say('{n} lost', { n: dropped });
  return `${say('{n} record|{n} records', { n: counters.made })}, ${fate}: ${sumOf(counters)}.`;
}

function sumOf(counters: ProfilerCounters): string {
  const parts = [
    `${formatCount(counters.stored)} stored`,
    ...compact(counters.pruned > 0 && `${formatCount(counters.pruned)} pruned before they were written`),
    ...nonZeroCounts(counters.dropped),
    `${formatCount(counters.pending)} pending`,
  ];
  const sum = counters.stored + counters.pruned + total(counters.dropped) + counters.pending;
  const holds = sum === counters.made ? '' : ` (${say('{n} apart', { n: sum - counters.made })})`;
  return `${formatCount(counters.made)} made = ${parts.join(' + ')}${holds}`;
}

function nonZeroCounts(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${formatCount(count)} dropped: ${reason}`);
}

function storePairs({ state, counters, retention }: ProfilerFacts): readonly Pair[] {
  // For a CLI, its own counters, and the time since it opened the store, are irrelevant to the records it reads.
  const showsOwn = hasRecorded(counters) || state.status !== 'ready';
  return [
    ['Store', { text: state.store, mono: true, copy: true }],
    ['State', { text: state.status, tone: state.status === 'ready' ? 'ok' : 'warn' }],
    ['Since', showsOwn ? { text: '', time: state.since } : null],
    ['Records in the store', state.records],
    ['Size of the store', state.bytes === null ? null : formatBytes(state.bytes)],
    ['Keeps at most', retention && retentionText(retention)],
    ['Notice', state.status === 'ready' ? styledText(state.message) : null],
    ['In progress', showsOwn ? counters.open : null],
    ['Left out by sampling', showsOwn && counters.sampledOut > 0 ? formatCount(counters.sampledOut) : null],
    ['Internal errors', showsOwn ? counters.failures : null],
  ];
}

function retentionText({ records, ageMs, bytes }: RetentionBounds): string {
  const days = ageMs / 86_400_000;
  return say('{n} record, {size}, {days} days|{n} records, {size}, {days} days', {
    n: records,
    size: formatBytes(bytes),
    days: Number(days.toFixed(1)),
  });
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
