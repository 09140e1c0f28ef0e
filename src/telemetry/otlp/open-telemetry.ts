import { refuseUnknownOptions } from '#coded-error';
import type { RecordSink } from '#profiler';
import type { OtlpLogs, OtlpSpans } from './otlp-items.js';
import { toOtlpLogs } from './to-otlp-logs.js';
import { type OtlpOptions, toOtlpSpans, otlpOptionNames } from './to-otlp-spans.js';

/** Processors of OpenTelemetry's SDK, as created by its packages. They queue, send and report what was lost. */
export interface OpenTelemetryOptions extends OtlpOptions {
  /** `new BatchSpanProcessor({ exporter })` of `@opentelemetry/sdk-trace`. */
  readonly traces?: OtlpSpans;
  /** `new BatchLogRecordProcessor({ exporter })` of `@opentelemetry/sdk-logs`. */
  readonly logs?: OtlpLogs;
}

/** The extension that sends records to OpenTelemetry. */
export interface OpenTelemetryExtension {
  readonly name: string;
  readonly sinks: readonly RecordSink[];
}

/**
 * Creates an extension that passes each record of this process as spans and log lines to the given processors: all that
 * are recorded (with the same sampling), independently of the store. Each span contains the token of its record and the
 * URL of its page.
 */
export function openTelemetry(options: OpenTelemetryOptions): OpenTelemetryExtension {
  refuseUnknownOptions('openTelemetry()', options, 'traces logs', {
    ...otlpOptionNames,
  });
  const { traces, logs } = options;
  const sink: RecordSink = {
    name: 'opentelemetry',
    take(records) {
      for (const record of records) {
        if (traces !== undefined) for (const span of toOtlpSpans(record, options)) traces.onEnd(span);
        if (logs !== undefined) for (const line of toOtlpLogs(record, options)) logs.onEmit(line);
      }
    },
    async close() {
      await Promise.all([traces?.shutdown(), logs?.shutdown()]);
    },
  };
  return { name: 'opentelemetry', sinks: [sink] };
}
