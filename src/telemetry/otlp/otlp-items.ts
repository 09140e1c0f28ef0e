/** Seconds and nanoseconds since the epoch. */
export type HrTime = [number, number];
export type Attributes = Record<string, string | number | boolean>;

export interface OtlpContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

interface OtlpOrigin {
  readonly resource: { readonly attributes: Readonly<Record<string, unknown>> };
  readonly instrumentationScope: { readonly name: string; readonly version?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly droppedAttributesCount: number;
}

/**
 * A span in the form that the exporters of OpenTelemetry accept (`ReadableSpan` of `@opentelemetry/sdk-trace-base`).
 */
export interface OtlpSpan extends OtlpOrigin {
  readonly name: string;
  /** `SpanKind` of `@opentelemetry/api`: 0 internal, 1 server, 2 client. */
  readonly kind: number;
  spanContext(): OtlpContext;
  readonly parentSpanContext?: OtlpContext & { readonly isRemote?: boolean };
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly duration: HrTime;
  /** 0 unset, 2 error. */
  readonly status: { readonly code: number; readonly message?: string };
  readonly events: readonly {
    readonly time: HrTime;
    readonly name: string;
    readonly attributes?: Readonly<Record<string, unknown>>;
  }[];
  readonly links: readonly unknown[];
  readonly ended: boolean;
  readonly droppedEventsCount: number;
  readonly droppedLinksCount: number;
}

/**
 * A log line in the form that the exporters of OpenTelemetry accept (`ReadableLogRecord` of `@opentelemetry/sdk-logs`).
 */
export interface OtlpLog extends OtlpOrigin {
  readonly hrTime: HrTime;
  readonly hrTimeObserved: HrTime;
  readonly spanContext?: OtlpContext;
  readonly severityText?: string;
  readonly severityNumber?: number;
  readonly body?: unknown;
}

/** The description of a process. It is the same object for the same process, because exporters group items by it. */
export type OtlpSource = Pick<OtlpOrigin, 'resource' | 'instrumentationScope'>;

/** A processor of spans, such as `BatchSpanProcessor` of `@opentelemetry/sdk-trace`. */
export interface OtlpSpans {
  onEnd(span: OtlpSpan): void;
  shutdown(): Promise<void>;
}

/** A processor of log lines, such as `BatchLogRecordProcessor` of `@opentelemetry/sdk-logs`. */
export interface OtlpLogs {
  onEmit(line: OtlpLog): void;
  shutdown(): Promise<void>;
}

export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  // A number of milliseconds since the epoch has no precision left for nanoseconds: digits below a microsecond are
  // noise.
  return [seconds, Math.round((ms - seconds * 1000) * 1000) * 1000];
}
