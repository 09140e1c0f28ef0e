import type { CollectedSection } from '../section.js';
import { loopWatch } from '../../recording/loop-watch.js';
import { RequestRecording } from '../../recording/request-recording.js';
import { tokenOf } from '../../encoding/token.js';
import { type LoopSection, loopDefinition } from './section.js';

const maxListed = 5;

const minWaitMs = 5;

const minStopMs = 20;

/** What of the body took its client a time worth mentioning to send; nothing of what was read after the response. */
function slowBodyOf({ request, startedAt }: RequestRecording): Pick<LoopSection, 'body'> {
  const { startedAt: from = 0, endedAt = 0, waitedMs = 0 } = request.bodyWait ?? {};
  if (waitedMs < minStopMs) return {};
  return { body: { startMs: from - startedAt, durationMs: endedAt - from, waitedMs } };
}

/** Collects, as `loop`, how long a request blocked the event loop, which requests blocked it meanwhile, and what machine and client did. */
export const loopCollector: CollectedSection = {
  definition: loopDefinition,
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
