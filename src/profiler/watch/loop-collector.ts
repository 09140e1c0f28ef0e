import { definePart } from '../form/define-part.js';
import type { OutputOf } from '../form/form.js';
import type { Collector } from '../model/collector.js';
import { type LoopBlock, loopWatch } from './loop-watch.js';
import { RequestRecording } from './request-recording.js';

const form = {
  // The longest stretch in which this request let no other go on.
  ownMs: 'ms',
  // The longest stretches of others that it waited for; of one before it began it may have waited less.
  waits: [{ token: 'text', startMs: 'offset', durationMs: 'ms' }],
} as const;

/** The `loop` section of a record: who held up the event loop. Milliseconds since the request began. */
export type LoopSection = OutputOf<typeof form>;

const maxWaits = 5;
const minWaitMs = 5;

/** Keeps, under `loop`, how long a request held up the others, and by whom it was held up. */
export const loopCollector: Collector = {
  name: 'loop',
  part: definePart(form),
  collect(recording): LoopSection | undefined {
    if (!(recording instanceof RequestRecording)) return undefined;
    const { startedAt, spans } = recording;
    const blocks = loopWatch.since(startedAt);
    if (blocks.length === 0 && spans.heldUpBy === undefined) return undefined;
    let ownMs = 0;
    const waits: LoopSection['waits'][number][] = [];
    const addWait = ({ by, to }: LoopBlock, from: number): void => {
      if (to - from >= minWaitMs) waits.push({ token: by, startMs: from - startedAt, durationMs: to - from });
    };
    if (spans.heldUpBy !== undefined) addWait(spans.heldUpBy, spans.heldUpBy.from);
    for (const block of blocks) {
      if (block.by === recording.token) ownMs = Math.max(ownMs, block.to - block.from);
      else if (block !== spans.heldUpBy) addWait(block, Math.max(block.from, startedAt));
    }
    if (ownMs === 0 && waits.length === 0) return undefined;
    return { ownMs, waits: waits.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, maxWaits) };
  },
};
