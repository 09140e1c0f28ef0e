import { definePart } from '../form/define-part.js';
import type { OutputOf } from '../form/form.js';
import type { Collector } from '../model/collector.js';
import { type LoopBlock, loopWatch } from './loop-watch.js';
import { RequestRecording } from './request-recording.js';

const form = {
  // The longest time for which this request blocked the event loop.
  ownMs: 'ms',
  // The longest blocks by other requests that this one waited for. It may have waited less for a block that began before it.
  waits: [{ token: 'text', startMs: 'offset', durationMs: 'ms' }],
} as const;

/** The `loop` section of a record: which requests blocked the event loop. Milliseconds since the request began. */
export type LoopSection = OutputOf<typeof form>;

const maxWaits = 5;
const minWaitMs = 5;

/** Collects, as `loop`, how long a request blocked the event loop, and which requests blocked it. */
export const loopCollector: Collector = {
  name: 'loop',
  part: definePart(form),
  collect(recording): LoopSection | undefined {
    if (!(recording instanceof RequestRecording)) return undefined;
    const { startedAt, spans } = recording;
    const blocks = loopWatch.since(startedAt);
    if (blocks.length === 0 && spans.blockedBy === undefined) return undefined;
    let ownMs = 0;
    const waits: LoopSection['waits'][number][] = [];
    const addWait = ({ by, to }: LoopBlock, from: number): void => {
      if (to - from >= minWaitMs) waits.push({ token: by, startMs: from - startedAt, durationMs: to - from });
    };
    if (spans.blockedBy !== undefined) addWait(spans.blockedBy, spans.blockedBy.from);
    for (const block of blocks) {
      if (block.by === recording.token) ownMs = Math.max(ownMs, block.to - block.from);
      else if (block !== spans.blockedBy) addWait(block, Math.max(block.from, startedAt));
    }
    if (ownMs === 0 && waits.length === 0) return undefined;
    return { ownMs, waits: waits.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, maxWaits) };
  },
};
