import { startSpan, type OwnSpan } from '#profiler';
import { fieldOf } from '../source/fields.js';

/** A span processor for the OpenTelemetry SDK (`SpanProcessor` of `@opentelemetry/sdk-trace-base`). */
export interface RecordSpanProcessor {
  onStart(span: object): void;
  onEnd(span: object): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

/**
 * Adds the spans that an application creates with `@opentelemetry/api` to the timeline of their request: `new
 * NodeTracerProvider({ spanProcessors: [createSpanProcessor()] })`, alongside other processors.
 */
export function createSpanProcessor(): RecordSpanProcessor {
  const open = new WeakMap<object, OwnSpan>();
  return {
    onStart(span) {
      const name = fieldOf(span, 'name');
      open.set(span, startSpan(typeof name === 'string' ? name : 'span'));
    },
    onEnd(span) {
      open.get(span)?.end(simpleFields(fieldOf(span, 'attributes')));
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
}

export function simpleFields(attributes: unknown): Readonly<Record<string, string | number | boolean>> {
  const fields: Record<string, string | number | boolean> = {};
  if (typeof attributes !== 'object' || attributes === null) return fields;
  for (const [name, value] of Object.entries(attributes).slice(0, 50))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      fields[name] = value;
  return fields;
}
