import type { HttpResponse, SentResponse } from '#http';
import type { RequestRecording } from './request-recording.js';
import type { SpanSlots } from './span-slots.js';

/** A recording at its end, with what the server told. */
export interface ClosedRecording {
  readonly recording: RequestRecording;
  /** Its stretches of time, which the recording itself has let go of. */
  readonly slots: SpanSlots;
  /** Undefined where none was made. */
  readonly response: HttpResponse | undefined;
  /** Undefined while nothing has left. */
  readonly sent: SentResponse | undefined;
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Of the monotonic clock. */
  readonly end: number;
  /** The sample of the process as JSON, and when it was taken (monotonic clock). */
  readonly runtime: string;
  readonly sampledAt: number;
  /** Settings of the process as JSON. */
  readonly config: string;
}
