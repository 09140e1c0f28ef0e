import { findSection } from '../collectors/find-section.js';
import type { LoopSection } from '../watch/loop-collector.js';
import { breakdownOf, type CountedSpan } from '../form/time-breakdown.js';
import type { ProfileRecord, RecordedSpan } from '../model/profile-record.js';
import { formatMilliseconds } from '../words/format.js';
import { type RecordFinding, targetIn } from './finding.js';
import { say } from '../words/say.js';

/** Requests faster than `minReportedMs` have no time findings; from `slowMs` on, a finding is a warning. */
const minReportedMs = 20;
const slowMs = 100;
/** Minimum share of the request's time that is reported. */
const dominantShare = 0.5;
const maxNameLength = 80;

/** Finds event-loop blocking, and the step or kind of work that took most of the time. */
export function findInTime(record: ProfileRecord): readonly RecordFinding[] {
  return [...findInLoop(record), ...findLongest(record)];
}

/** Finds time in which the request blocked the event loop, or waited for another request that did. */
function findInLoop(record: ProfileRecord): readonly RecordFinding[] {
  const loop = findSection<LoopSection>(record, 'loop', ['ownMs', 'waits']);
  if (loop === undefined) return [];
  const [{ durationMs, token } = { durationMs: 0, token: '' }] = loop.waits;
  const found: string[] = [];
  if (loop.ownMs >= slowMs)
    found.push(
      say('It held up the event loop, and with it every other request, for {time}', {
        time: formatMilliseconds(loop.ownMs),
      }),
    );
  if (durationMs >= minReportedMs)
    found.push(
      say('It waited up to {time} for {token}, which held up the event loop', {
        time: formatMilliseconds(durationMs),
        token,
      }),
    );
  return found.map((text) => ({ level: 'warn', text, target: targetIn('time') }));
}

function findLongest(record: ProfileRecord): readonly RecordFinding[] {
  const { durationMs } = record;
  if (durationMs < minReportedMs) return [];
  const level = durationMs >= slowMs ? 'warn' : 'info';
  const found = findStep(record) ?? findKind(record);
  if (found === undefined) return [];
  const { what, ms, target } = found;
  const text = say('{what} took {time} of {whole}', {
    what,
    time: formatMilliseconds(ms),
    whole: formatMilliseconds(durationMs),
  });
  return [{ level, text, target }];
}

interface LongSpan {
  readonly what: string;
  readonly ms: number;
  readonly target: NonNullable<RecordFinding['target']>;
}

function findStep({ durationMs, timeline }: ProfileRecord): LongSpan | undefined {
  for (const span of timeline) {
    if (
      span.category === 'stage' ||
      span.busyMs !== undefined ||
      span.durationMs < durationMs * dominantShare
    )
      continue;
    const ms = ownTimeOf(span, timeline);
    if (ms >= durationMs * dominantShare)
      return { what: nameOf(span), ms, target: targetIn(span.section ?? 'time', span.anchor) };
  }
  return undefined;
}

function nameOf({ category, name }: RecordedSpan): string {
  const short = name.replace(/\s+/g, ' ').slice(0, maxNameLength);
  if (category === 'database') return say('{n} query|{n} queries', { n: 1 });
  if (category === 'http') return say('1 outgoing call ({url})', { url: short });
  if (category === 'rendering') return say('Rendering');
  if (category === 'controller') return say('The code of the controller');
  return category === 'listener' ? say('The listener “{name}”', { name: short }) : `“${short}”`;
}

function findKind(record: ProfileRecord): LongSpan | undefined {
  const breakdown = breakdownOf(record);
  const kinds = [
    { what: say('The database'), kind: 'database' },
    { what: say('Outgoing calls'), kind: 'http' },
    { what: say('Rendering'), kind: 'rendering' },
  ] as const;
  const longest = kinds.find(({ kind }) => breakdown[kind] >= record.durationMs * dominantShare);
  if (longest === undefined) return undefined;
  const { what, kind } = longest;
  const section = record.timeline.find(({ category }) => category === kind)?.section;
  return { what, ms: breakdown[kind], target: targetIn(section ?? 'time') };
}

/** Returns the milliseconds of a span that no nested span covers. */
export function ownTimeOf(span: CountedSpan, timeline: readonly CountedSpan[]): number {
  const { startMs, durationMs } = span;
  const end = startMs + durationMs;
  let own = durationMs;
  let covered = startMs;
  const inner = timeline.filter(
    (other) => other !== span && other.startMs >= startMs && other.durationMs < durationMs,
  );
  for (const other of inner.toSorted((a, b) => a.startMs - b.startMs)) {
    const from = Math.max(other.startMs, covered);
    const to = Math.min(other.startMs + (other.busyMs ?? other.durationMs), end);
    if (to <= from) continue;
    own -= to - from;
    covered = to;
  }
  return own;
}
