import { createScopeKey, type ScopeKey } from '#core/scope';
import type { Recording } from '../model/recording.js';
import { currentRecording } from './current-recording.js';

/** Span attributes: primitive values by name. Values with secret names are redacted. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A custom span in progress. */
export interface OwnSpan {
  /** Ends the span and adds attributes, if given. Further calls do nothing. */
  end(attributes?: SpanAttributes): void;
}

/** A span in an open record. Times are milliseconds since the request began; `endMs` is undefined while the span is open. */
interface KeptSpan {
  readonly name: string;
  readonly startMs: number;
  endMs: number | undefined;
  attributes: SpanAttributes;
}

export interface KeptSpans {
  readonly spans: KeptSpan[];
  more: number;
}

/** Maximum number of custom spans in one record. */
export const maxOwnSpans = 200;
const maxNameLength = 200;
const notRecorded: OwnSpan = { end: () => undefined };

export const ownSpans: ScopeKey<KeptSpans> = createScopeKey<KeptSpans>('own spans');

/**
 * Starts a span, shown as a timeline bar in the current request's record, and lasting until `end` is
 * called. Keeps at most 200 spans per request. Does nothing if no request is recorded.
 */
export function startSpan(name: string, attributes: SpanAttributes = {}): OwnSpan {
  const recording = currentRecording();
  if (recording === undefined) return notRecorded;
  const { startedAt } = recording;
  const span: KeptSpan = {
    name: String(name).slice(0, maxNameLength),
    startMs: performance.now() - startedAt,
    endMs: undefined,
    attributes,
  };
  if (!keepSpan(recording, span)) return notRecorded;
  return {
    end(further) {
      if (span.endMs !== undefined) return;
      span.endMs = performance.now() - startedAt;
      if (further !== undefined) span.attributes = { ...span.attributes, ...further };
    },
  };
}

/** Adds a finished span. `from` is its start on the `performance.now` clock. */
export function addEndedSpan(name: string, from: number, durationMs: number): void {
  const recording = currentRecording();
  if (recording === undefined || recording.isClosed) return;
  const startMs = from - recording.startedAt;
  keepSpan(recording, {
    name: name.slice(0, maxNameLength),
    startMs,
    endMs: startMs + durationMs,
    attributes: {},
  });
}

/** Keeps a span, or counts it; returns whether it was kept. */
function keepSpan({ request: { scope } }: Recording, span: KeptSpan): boolean {
  let kept = scope.getOwn(ownSpans);
  if (kept === undefined) scope.set(ownSpans, (kept = { spans: [], more: 0 }));
  if (kept.spans.length < maxOwnSpans) kept.spans.push(span);
  else kept.more++;
  return kept.spans.at(-1) === span;
}

/** Runs `work` in a span that ends when `work` returns or throws, or when the returned promise settles. */
export function withSpan<Result>(name: string, work: () => Result): Result {
  const span = startSpan(name);
  let result: Result;
  try {
    result = work();
  } catch (error) {
    span.end({ failed: true });
    throw error;
  }
  if (!(result instanceof Promise)) span.end();
  else
    result.then(
      () => span.end(),
      () => span.end({ failed: true }),
    );
  return result;
}
