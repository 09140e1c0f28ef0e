/** Records as the traces and logs of OpenTelemetry. The packages that send them are the application's own: none is loaded here. */
export { openTelemetry } from './telemetry/otlp/open-telemetry.js';
export type { OpenTelemetryExtension, OpenTelemetryOptions } from './telemetry/otlp/open-telemetry.js';
export type { OtlpLog, OtlpLogs, OtlpSpan, OtlpSpans } from './telemetry/otlp/otlp-items.js';
export { toOtlpLogs } from './telemetry/otlp/to-otlp-logs.js';
export { toOtlpSpans, type OtlpOptions } from './telemetry/otlp/to-otlp-spans.js';
