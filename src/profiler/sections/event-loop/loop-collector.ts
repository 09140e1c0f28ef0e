import type { Collector } from '../../model/collector.js';
import type { TimelineEntry } from '../../model/profile-record.js';
import { type CompletedPart, definePart } from '../define-part.js';
import { loopWatch } from '../../recording/loop-watch.js';
import { RequestRecording } from '../../recording/request-recording.js';
import { tokenOf } from '../../encoding/token.js';

/** The `loop` section of a record: what is known to have stopped the application. Milliseconds since the request began. */
export interface LoopSection {
  /** The longest time for which this request blocked the event loop. */
  readonly ownMs: number;
  /** The longest blocks by other requests while this one was under way. */
  readonly waits: readonly {
    readonly token: string;
    readonly startMs: number;
    readonly durationMs: number;
  }[];
  /** Times during which the process was ready to run and had no processor for `stoppedMs`, because the machine was busy. */
  readonly stops?: readonly {
    readonly startMs: number;
    readonly durationMs: number;
    readonly stoppedMs: number;
  }[];
  /** The time in which the application read the body, of which it waited `waitedMs` for the client to send it. */
  readonly body?: { readonly startMs: number; readonly durationMs: number; readonly waitedMs: number };
}

const maxListed = 5;
const minWaitMs = 5;
const minStopMs = 20;

export const loopPart: CompletedPart = definePart<LoopSection>({
  name: 'loop',
  timeline: ({ stops = [], body }) => [
    ...stops.map(({ startMs, durationMs, stoppedMs }) => ({
      name: 'The process did not run',
      category: 'unaccounted' as const,
      startMs,
      durationMs,
      busyMs: stoppedMs,
    })),
    ...(body === undefined ? [] : [waitingSpan(body)]),
  ],
});

function waitingSpan({ startMs, durationMs, waitedMs }: NonNullable<LoopSection['body']>): TimelineEntry {
  const name = 'Waiting for the body of the request';
  return { name, category: 'unaccounted', startMs, durationMs, busyMs: waitedMs };
}

/** What of the body took its client a time worth mentioning to send; nothing of what was read after the response. */
function slowBodyOf({ request, startedAt }: RequestRecording): Pick<LoopSection, 'body'> {
  const { startedAt: from = 0, endedAt = 0, waitedMs = 0 } = request.bodyWait ?? {};
  if (waitedMs < minStopMs) return {};
  return { body: { startMs: from - startedAt, durationMs: endedAt - from, waitedMs } };
}

/** Collects, as `loop`, how long a request blocked the event loop, which requests blocked it meanwhile, and what machine and client did. */
export const loopCollector: Collector = {
  name: 'loop',
  part: loopPart,
  collect(recording): LoopSection | undefined {
    if (!(recording instanceof RequestRecording)) return undefined;
    const { startedAt } = recording;
    let ownMs = 0;
    const waits: LoopSection['waits'][number][] = [];
    const stops: NonNullable<LoopSection['stops']>[number][] = [];
    for (const { by, from, to, since, blockedMs, stoppedMs } of loopWatch.since(startedAt)) {
      const begin = Math.max(from, startedAt);
      // Of the time that was counted since before, as much as possible is taken to have been before.
      const within = Math.min(to - begin, stoppedMs - (begin - since));
      if (within >= minStopMs)
        stops.push({ startMs: begin - startedAt, durationMs: to - begin, stoppedMs: within });
      const durationMs = Math.max(0, blockedMs - (begin - from));
      if (by === recording.id) ownMs = Math.max(ownMs, blockedMs);
      else if (durationMs >= minWaitMs)
        waits.push({ token: tokenOf(by), startMs: begin - startedAt, durationMs });
    }
    const { body } = slowBodyOf(recording);
    if (ownMs === 0 && waits.length === 0 && stops.length === 0 && body === undefined) return undefined;
    const longest = waits.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, maxListed);
    return { ownMs, waits: longest, stops: stops.slice(0, maxListed), ...(body && { body }) };
  },
};
