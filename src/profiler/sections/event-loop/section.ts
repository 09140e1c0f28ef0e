import type { TimelineEntry } from '../../model/profile-record.js';
import { type SectionDefinition, defineSection } from '../define-section.js';

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

export const loopDefinition: SectionDefinition = defineSection<LoopSection>({
  id: 'loop',
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
