import type { TimelineEntry } from '../../model/profile-record.js';
import type { KnownTimes } from '../../model/time-use.js';
import { type SectionDefinition, defineSection } from '../define-section.js';

/**
 * A record's `loop` section: when the request's code ran, and what else occupied the event loop. Milliseconds since the
 * request began.
 */
export interface LoopSection extends KnownTimes {
  /** Total time for which this request blocked the event loop. */
  readonly ownMs: number;
  /** Number of such blocks. */
  readonly ownBlocks?: number;
  /** Blocks by others during this request, longest first; `token` is null if the request is unknown. */
  readonly waits: readonly {
    readonly token: string | null;
    readonly startMs: number;
    readonly durationMs: number;
    readonly blocks?: number;
  }[];
  /**
   * How long the request may have waited before it was read, and the request that blocked the loop longest in that
   * time; null if unknown.
   */
  readonly queued?: { readonly token: string | null; readonly ms: number; readonly others?: true };
  /** Period in which the application read the body, of which it waited `waitedMs` for the client. */
  readonly body?: { readonly startMs: number; readonly durationMs: number; readonly waitedMs: number };
}

export const loopDefinition: SectionDefinition = defineSection<LoopSection>({
  id: 'loop',
  timeline: ({ body }) => (body === undefined ? [] : [waitingSpan(body)]),
});

function waitingSpan({ startMs, durationMs, waitedMs }: NonNullable<LoopSection['body']>): TimelineEntry {
  const name = 'Waiting for the body of the request';
  return { name, category: 'waiting', startMs, durationMs, busyMs: waitedMs };
}

/** Returns how long lookback itself worked during the request, in milliseconds. */
export function ownMsOf(loop: unknown): number {
  const { own = [] } = (loop ?? {}) as Partial<LoopSection>; // the section, if present
  return own.reduce((sum, { ms }) => sum + ms, 0);
}
