import type { TimelineEntry } from '../../model/profile-record.js';
import type { KnownTimes } from '../../model/time-use.js';
import { type SectionDefinition, defineSection } from '../define-section.js';

/** The `loop` section of a record: when the request's code ran, and what else had the event loop. Milliseconds since the request began. */
export interface LoopSection extends KnownTimes {
  /** For how long this request blocked the event loop, in all. */
  readonly ownMs: number;
  /** How often it did. */
  readonly ownBlocks?: number;
  /** By whom it was blocked while this request was under way, the longest first: another request, or null if it is not known. */
  readonly waits: readonly {
    readonly token: string | null;
    readonly startMs: number;
    readonly durationMs: number;
    readonly blocks?: number;
  }[];
  /** For how long the request may have waited before it was read, and who blocked the event loop longest until then; null if it is not known. */
  readonly queued?: { readonly token: string | null; readonly ms: number; readonly others?: true };
  /** The time in which the application read the body, of which it waited `waitedMs` for the client to send it. */
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

/** Returns the milliseconds for which lookback itself worked while the request was under way. */
export function ownMsOf(loop: unknown): number {
  const { own = [] } = (loop ?? {}) as Partial<LoopSection>; // the section, if there is one
  return own.reduce((sum, { ms }) => sum + ms, 0);
}
