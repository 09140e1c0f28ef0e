import { completedSections } from '../completed.js';
import { findSection } from '../define-section.js';
import type { LoopSection } from '../event-loop/section.js';
import { breakdownOf, type CountedSpan } from '../../model/time-breakdown.js';
import type { ProfileRecord, RecordedSpan } from '../../model/profile-record.js';
import { formatMilliseconds } from '../../model/formatting.js';
import {
  callLocation,
  type Finder,
  from,
  ofKind,
  locationTextOf,
  type RecordFinding,
  targetIn,
  warning,
} from '../finding.js';

/** Requests faster than `minReportedMs` have no time findings; from `noticeableMs` on, a finding is a warning. */
const minReportedMs = 20;
export const noticeableMs = 100;
/** Minimum share of the request's time that is reported. */
const dominantShare = 0.5;
const maxNameLength = 80;
/** Share of its time that a finding without a place explains: one with a place is preferred if it took almost as long. */
const vague = 0.75;

/** Find what blocked the event loop, and the step or kind of work that took most of the time. */
export const timeFinders: readonly Finder[] = [ofKind('blocked', findInLoop), ofKind('slow', findLongest)];

/** Finds time in which the request, or another one meanwhile, blocked the event loop, the process did not run, or the client sent. */
function findInLoop(record: ProfileRecord): readonly RecordFinding[] {
  const loop = findSection<LoopSection>(record, 'loop', ['ownMs', 'waits']);
  if (loop === undefined) return [];
  const { ownMs, waits, stops = [], body: { waitedMs } = { waitedMs: 0 } } = loop;
  const [longest] = waits;
  const stoppedMs = stops.reduce((sum, stop) => sum + stop.stoppedMs, 0);
  const found = (text: string, explains: number): RecordFinding => ({ ...warning(text, 'time'), explains });
  return [
    ownMs >= noticeableMs && found(`Blocked the event loop for ${formatMilliseconds(ownMs)}`, ownMs * vague),
    longest !== undefined &&
      longest.durationMs >= minReportedMs && {
        ...found(
          `${longest.token} blocked the event loop for ${formatMilliseconds(longest.durationMs)} meanwhile`,
          longest.durationMs,
        ),
        kind: 'held-up',
      },
    stoppedMs >= minReportedMs && {
      ...found(
        `The process did not run for ${formatMilliseconds(stoppedMs)}: the machine was busy`,
        stoppedMs,
      ),
      kind: 'paused',
      level: 'info' as const,
    },
    waitedMs >= minReportedMs && {
      ...found(`Waited ${formatMilliseconds(waitedMs)} for the client to send the body`, waitedMs),
      kind: 'slow-client',
      level: 'info' as const,
    },
  ].filter((one) => one !== false);
}

function findLongest(record: ProfileRecord): RecordFinding | undefined {
  const { durationMs } = record;
  const found = durationMs < minReportedMs ? undefined : (findStep(record) ?? findKind(record));
  if (found === undefined) return undefined;
  const { what, ms, target, location, explains = ms } = found;
  const text = `${what} took ${formatMilliseconds(ms)} of ${formatMilliseconds(durationMs)}`;
  const level = durationMs >= noticeableMs ? 'warn' : 'info';
  return { level, text: text + from(location), target, explains };
}

interface LongSpan {
  readonly what: string;
  readonly ms: number;
  readonly target: NonNullable<RecordFinding['target']>;
  readonly location: string | undefined;
  /** Default: `ms`. */
  readonly explains?: number;
}

function findStep(record: ProfileRecord): LongSpan | undefined {
  const { durationMs, timeline } = record;
  for (const span of timeline) {
    const { category, section, anchor } = span;
    if (
      category === 'stage' ||
      category === 'unaccounted' ||
      span.busyMs !== undefined ||
      span.durationMs < durationMs * dominantShare
    )
      continue;
    const ms = ownTimeOf(span, record);
    if (ms < durationMs * dominantShare) continue;
    const { file = null, line } = record.controller ?? {};
    const location =
      category === 'controller'
        ? locationTextOf(file === null ? null : { file, line: line ?? 1 })
        : callLocation(record, section, anchor);
    return { what: nameOf(span), ms, target: targetIn(section ?? 'time', anchor), location };
  }
  return undefined;
}

function nameOf({ category, name, section }: RecordedSpan): string {
  const short = name.replace(/\s+/g, ' ').slice(0, maxNameLength);
  const steps = completedSections.get(section ?? '')?.steps;
  if (steps !== undefined) return steps.one(short);
  if (category === 'controller') return 'The code of the controller';
  return category === 'listener' ? `The listener “${short}”` : `“${short}”`;
}

function findKind(record: ProfileRecord): LongSpan | undefined {
  const breakdown = breakdownOf(record);
  const kinds = [
    { what: 'The database', kind: 'database' },
    { what: 'Outgoing calls', kind: 'http' },
    { what: 'Rendering', kind: 'rendering' },
  ] as const;
  const longest = kinds.find(({ kind }) => breakdown[kind] >= record.durationMs * dominantShare);
  if (longest === undefined) return undefined;
  const { kind } = longest;
  const sections = new Set(
    record.timeline.filter(({ category }) => category === kind).map(({ section }) => section),
  );
  const [section] = sections;
  const own = sections.size === 1 ? completedSections.get(section ?? '')?.steps : undefined;
  return {
    what: own?.all ?? longest.what,
    ms: breakdown[kind],
    target: targetIn(section ?? 'time'),
    location: undefined,
    explains: breakdown[kind] * vague,
  };
}

/** Returns the milliseconds within the request that no nested span covers; of code, those during which the process ran. */
function ownTimeOf(span: CountedSpan, { timeline, durationMs: requestMs }: ProfileRecord): number {
  const { durationMs } = span;
  const startMs = Math.max(span.startMs, 0);
  const end = Math.min(span.startMs + durationMs, requestMs);
  let own = end - startMs;
  let covered = startMs;
  // Queries and calls go on while the process does not run.
  const isWaiting = span.category === 'database' || span.category === 'http';
  const inner = timeline.filter((other) =>
    other.category === 'unaccounted'
      ? !isWaiting
      : other !== span && other.startMs >= startMs && other.durationMs < durationMs,
  );
  for (const other of inner.toSorted((a, b) => a.startMs - b.startMs)) {
    const begin = Math.max(other.startMs, covered);
    const to = Math.min(other.startMs + (other.busyMs ?? other.durationMs), end);
    if (to <= begin) continue;
    own -= to - begin;
    covered = to;
  }
  return own;
}
