import { createRequire } from 'node:module';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { start as startPlain } from './plain.mjs';

const nowhere = {
  export: (spans, done) => done({ code: 0 }),
  shutdown: () => Promise.resolve(),
  forceFlush: () => Promise.resolve(),
};

/** node:http with a span for each request, batched and exported to nowhere. */
export async function start() {
  const tracerProvider = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(nowhere, { maxQueueSize: 100_000, maxExportBatchSize: 512 })],
  });
  tracerProvider.register();
  registerInstrumentations({ tracerProvider, instrumentations: [new HttpInstrumentation()] });
  createRequire(import.meta.url)('node:http'); // it patches what is required from here on
  return { ...(await startPlain()), title: 'node:http + OpenTelemetry' };
}
