import { callsOf, nameOf as nameOfCall } from '../http-client/findings.js';
import { callAnchor } from '../http-client/section.js';
import { findSection } from '../define-section.js';
import type { LoopSection } from '../event-loop/section.js';
import { breakdownOf, type CountedSpan } from '../../model/time-breakdown.js';
import type { ProfileRecord, RecordedSpan } from '../../model/profile-record.js';
import { openWorkOf } from '../request/open-work.js';
import { timeUseOf } from '../../model/time-use.js';
import { formatCount, formatMilliseconds } from '../../model/formatting.js';
import {
  callLocation,
  type Finder,
  from,
  ofKind,
  locationTextOf,
  type RecordFinding,
  type StepsOf,
  targetIn,
  warning,
} from '../finding.js';

/** Requests faster than `minReportedMs` have no time findings; from `noticeableMs` on, a finding is a warning. */
const minReportedMs = 20;
export const noticeableMs = 100;
/** Minimum share of the request's time that is reported. */
const dominantShare = 0.5;
const maxNameLength = 80;
/**
 * Share of its time that a finding without a location explains. Findings with a location are preferred if they took
 * almost as long.
 */
const vague = 0.75;

/**
 * Finders for what blocked the event loop, what an unfinished request is waiting for, and the step or kind of work that
 * took most time.
 */
export const timeFinders: readonly Finder[] = [
  ofKind('blocked', findInLoop),
  ofKind('paused', findMachine),
  ofKind('slow', findAwaited),
  ofKind('slow', findLongest),
];

/** Finds time in which this or another request blocked the event loop, or in which the client sent the body. */
function findInLoop(record: ProfileRecord): readonly RecordFinding[] {
  const loop = findSection<LoopSection>(record, 'loop', ['ownMs', 'waits']);
  if (loop === undefined) return [];
  const { ownMs, ownBlocks = 1, waits, queued, body: { waitedMs } = { waitedMs: 0 } } = loop;
  const found = (text: string, explains: number): RecordFinding => ({ ...warning(text, 'time'), explains });
  return [
    ownMs >= noticeableMs && found(`Blocked the event loop ${howLong(ownMs, ownBlocks)}`, ownMs * vague),
    ...waits.map(
      ({ token, durationMs, blocks = 1 }) =>
        durationMs >= minReportedMs && {
          ...found(
            `${whoOf(token)} blocked the event loop ${howLong(durationMs, blocks)} meanwhile`,
            durationMs,
          ),
          kind: 'held-up',
        },
    ),
    queued !== undefined && {
      ...warning(
        `May have waited up to ${formatMilliseconds(queued.ms)} before it was read: ${blockersOf(queued)}`,
        'time',
      ),
      kind: 'held-up',
      explains: 0, // explains none of the recorded time, so that certain causes come first
    },
    waitedMs >= minReportedMs && {
      ...found(`Waited ${formatMilliseconds(waitedMs)} for the client to send the body`, waitedMs),
      kind: 'slow-client',
      level: 'info' as const,
    },
  ].filter((one) => one !== false);
}

/** Describes how long something blocked the loop: `3 times for 310 ms`. */
function howLong(ms: number, blocks: number): string {
  return `${blocks > 1 ? `${formatCount(blocks)} times ` : ''}for ${formatMilliseconds(ms)}`;
}

/** Names the request that occupied the event loop, for the beginning of a sentence. */
export function whoOf(token: string | null): string {
  return token ?? 'Code outside any known request';
}

function blockersOf({ token, others }: NonNullable<LoopSection['queued']>): string {
  const who = token ?? (others === true ? 'several pieces of code' : 'other code');
  return `${who}${token !== null && others === true ? ' and others' : ''} blocked the event loop`;
}

/** Reports that the machine was busy. This explains no request, because it slows down all of its parts. */
function findMachine(record: ProfileRecord): RecordFinding | undefined {
  const { busy } = breakdownOf(record);
  if (busy < minReportedMs) return undefined;
  const text = `The machine was busy for ${formatMilliseconds(busy)}`;
  return { level: 'info', text, target: targetIn('time') };
}

const maxAwaited = 3;

/**
 * Finds queries, commands and calls that a request was waiting for when the client left, the process ended, or its
 * record was viewed.
 */
function findAwaited(record: ProfileRecord): readonly RecordFinding[] {
  if (record.state === 'complete') return [];
  const calls = callsOf(record).flatMap((call, index) => {
    if (!call.isOpen || call.isCancelled === true) return [];
    const { durationMs, callSite } = call;
    const name = call.status === 0 ? nameOfCall(call) : `the body of ${nameOfCall(call)}`;
    return [{ name, durationMs, callSite, section: 'http', anchor: callAnchor(index) }];
  });
  return [...openWorkOf(record), ...calls]
    .filter(({ durationMs }) => durationMs >= minReportedMs)
    .toSorted((a, b) => b.durationMs - a.durationMs)
    .slice(0, maxAwaited)
    .map(({ name, durationMs, callSite, section, anchor }) => {
      const text = `Waited ${formatMilliseconds(durationMs)} for ${name}, which had not ended`;
      return {
        ...warning(text + from(locationTextOf(callSite[0])), section, anchor),
        explains: durationMs,
      };
    });
}

function findLongest(record: ProfileRecord, stepsOf: StepsOf): RecordFinding | undefined {
  const { durationMs } = record;
  if (durationMs < minReportedMs) return undefined;
  const isNamed =
    poolWaitOf(record) >= leastOf(record) || // the database panel has a finding for it
    findAwaited(record).some(({ explains }) => Number(explains) >= leastOf(record));
  if (isNamed) return undefined;
  const found = findStep(record, stepsOf) ?? findKind(record, stepsOf);
  if (found === undefined) return findStream(record);
  const { what, ms, target, location, explains = ms, does = 'took', after = '' } = found;
  if (does === 'waited') {
    const stream = findStream(record);
    if (stream !== undefined) return stream;
    const loop = findSection<LoopSection>(record, 'loop', ['ownMs', 'waits']);
    if ((loop?.body?.waitedMs ?? 0) >= ms * dominantShare) return undefined; // already reported
  }
  const text = `${what} ${does} ${formatMilliseconds(ms)} of ${formatMilliseconds(durationMs)}${after}`;
  // A request that was slow only because the machine was busy needs no fix.
  const level = durationMs - breakdownOf(record).busy >= noticeableMs ? 'warn' : 'info';
  return { level, text: text + from(location), target, explains };
}

/** Returns how long a request waited for pool connections, in milliseconds. */
function poolWaitOf({ timeline }: ProfileRecord): number {
  return timeline
    .filter(({ category, section }) => category === 'waiting' && section === 'db')
    .reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Reports when a response began that was streamed for most of its time; such a request is not slow. */
function findStream(record: ProfileRecord): RecordFinding | undefined {
  const { durationMs, response } = record;
  const firstByteMs = response?.firstByteMs;
  if (firstByteMs === undefined || durationMs - firstByteMs < durationMs * dominantShare) return undefined;
  const [streamed, first] = [durationMs - firstByteMs, firstByteMs].map(formatMilliseconds);
  const text = `Streamed for ${streamed ?? ''}, first byte after ${first ?? ''}`;
  return {
    level: 'info',
    kind: 'streamed',
    text,
    target: targetIn('time'),
    explains: breakdownOf(record).waiting,
  };
}

interface LongSpan {
  readonly what: string;
  readonly ms: number;
  readonly target: NonNullable<RecordFinding['target']>;
  readonly location: string | undefined;
  /** Default: `ms`. */
  readonly explains?: number;
  /** Default: `took`. */
  readonly does?: 'took' | 'waited';
  /** Text after the times. */
  readonly after?: string;
}

function findStep(record: ProfileRecord, stepsOf: StepsOf): LongSpan | undefined {
  const { timeline } = record;
  const least = leastOf(record);
  const use = timeUseOf(record);
  for (const span of timeline) {
    const { category, section, anchor } = span;
    // The end of an open span is unknown.
    if (notSteps.has(category) || span.open === true || span.busyMs !== undefined || span.durationMs < least)
      continue;
    if (category === 'listener' && span.name === errorPage) continue;
    const own = ownTimeOf(span, record);
    const what = nameOf(span, stepsOf);
    const target = targetIn(section ?? 'time', anchor);
    const location = locationOfStep(span, record, stepsOf);
    // Queries, calls and named spans took their time regardless of the code that ran or waited within them.
    if (section !== undefined || !use.isKnown) {
      const ms = own.reduce((sum, [begin, end]) => sum + end - begin, 0);
      if (ms >= least) return { what, ms, target, location };
      continue;
    }
    const parts = own.map(([begin, end]) => use.between(begin, end));
    const ranMs = parts.reduce((sum, part) => sum + part.ranMs, 0);
    const waitedMs = parts.reduce((sum, part) => sum + part.waitedMs, 0);
    if (ranMs >= least)
      return {
        what: category === 'controller' ? 'Your code' : what,
        ms: ranMs,
        target,
        location,
      };
    if (waitedMs >= least)
      return {
        what: waiterOf(span, record, stepsOf),
        ms: waitedMs,
        target,
        location,
        does: 'waited',
        after: forUnwatched,
      };
  }
  return undefined;
}

/** Returns how long a step must take to dominate the request, excluding machine time, which belongs to no step. */
function leastOf(record: ProfileRecord): number {
  return Math.max(
    (record.durationMs - breakdownOf(record).busy) * dominantShare,
    minReportedMs * dominantShare,
  );
}

/** The framework's listener that answers errors. Its development output, and the time it takes, never reach users. */
const errorPage = 'error page';
const notSteps: ReadonlySet<string> = new Set(['stage', 'waiting', 'busy', 'unaccounted']);
const forUnwatched = ' for something that lookback does not watch';

function locationOfStep(step: RecordedSpan, record: ProfileRecord, stepsOf: StepsOf): string | undefined {
  if (step.category !== 'controller') return callLocation(record, step, stepsOf);
  const { file = null, line } = record.controller ?? {};
  return locationTextOf(file === null ? null : { file, line: line ?? 1 });
}

/** Names the code that waited: the handler function's name, if it has one. */
function waiterOf(span: RecordedSpan, { controller }: ProfileRecord, stepsOf: StepsOf): string {
  const name = span.category === 'controller' ? (controller?.name ?? '') : '';
  return /^[\w$.#]{1,80}$/.test(name) ? `“${name}”` : nameOf(span, stepsOf);
}

function nameOf({ category, name, section }: RecordedSpan, stepsOf: StepsOf): string {
  const short = name.replace(/\s+/g, ' ').slice(0, maxNameLength);
  const steps = stepsOf(section);
  if (steps !== undefined) return steps.one(short);
  if (category === 'controller') return 'The controller';
  if (category === 'stream') return 'The code of the stream';
  return category === 'listener' ? `The listener “${short}”` : `“${short}”`;
}

function findKind(record: ProfileRecord, stepsOf: StepsOf): LongSpan | undefined {
  const breakdown = breakdownOf(record);
  const kinds = [
    { what: 'The database', kind: 'database' },
    { what: 'Outgoing calls', kind: 'http' },
    { what: 'Rendering', kind: 'rendering' },
    { what: 'The profiler', kind: 'profiler' },
    { what: 'The request', kind: 'waiting' },
  ] as const;
  const unwatchedMs = Math.max(0, breakdown.waiting - poolWaitOf(record));
  const longest = kinds.find(
    ({ kind }) => (kind === 'waiting' ? unwatchedMs : breakdown[kind]) >= leastOf(record),
  );
  // It is unknown whether the response waited for work that had not ended.
  const hasOpen = (kind: string): boolean =>
    record.state === 'complete' && record.timeline.some(({ category, open }) => category === kind && open);
  if (longest === undefined || hasOpen(longest.kind)) return undefined;
  const { kind } = longest;
  if (kind === 'waiting')
    return {
      what: longest.what,
      ms: unwatchedMs,
      target: targetIn('time'),
      location: undefined,
      explains: unwatchedMs * vague,
      does: 'waited',
      after: forUnwatched,
    };
  const sections = new Set(
    record.timeline.filter(({ category }) => category === kind).map(({ section }) => section),
  );
  const [section] = sections;
  const own = sections.size === 1 ? stepsOf(section) : undefined;
  const what = own?.all ?? longest.what;
  const noun = kind === 'database' && section === 'db' ? ' queries' : '';
  const serial = serialSteps(record, kind);
  const locations = new Set(serial.map((step) => callLocation(record, step, stepsOf)));
  const [location] = locations;
  return {
    what: what + (serial.length < 2 ? '' : ` (${serial.length}${noun}, one after another)`),
    ms: breakdown[kind],
    target: targetIn(section ?? 'time'),
    location: locations.size === 1 ? location : undefined,
    explains: breakdown[kind] * vague,
  };
}

/**
 * Returns the steps of one kind if each began only after the previous one had ended; none if some ran concurrently, or if one represents
 * those beyond a limit, whose number and order are unknown here.
 */
function serialSteps({ timeline }: ProfileRecord, kind: string): readonly RecordedSpan[] {
  const steps = timeline
    .filter(({ category, open }) => category === kind && open !== true)
    .toSorted((a, b) => a.startMs - b.startMs);
  const isSerial = steps.every((step, at) => {
    const before = steps[at - 1];
    if (step.busyMs !== undefined) return false;
    return before === undefined || step.startMs >= before.startMs + before.durationMs;
  });
  return isSerial ? steps : [];
}

/** Returns the parts of a span within the request that no nested span covers. */
function ownTimeOf(
  span: CountedSpan,
  { timeline, durationMs: requestMs }: ProfileRecord,
): [number, number][] {
  const { durationMs } = span;
  const startMs = Math.max(span.startMs, 0);
  const end = Math.min(span.startMs + durationMs, requestMs);
  const own: [number, number][] = [];
  let covered = startMs;
  const inner = timeline.filter(
    (other) => other !== span && other.startMs >= startMs && other.durationMs < durationMs,
  );
  for (const other of inner.toSorted((a, b) => a.startMs - b.startMs)) {
    const begin = Math.min(other.startMs, end);
    const to = Math.min(other.startMs + (other.busyMs ?? other.durationMs), end);
    if (begin > covered) own.push([covered, begin]);
    covered = Math.max(covered, to);
  }
  if (end > covered) own.push([covered, end]);
  return own;
}
