import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import { type App, createApp } from 'lookback';
import { recordQuery } from 'lookback/taps';
import { openTelemetry, type OpenTelemetryExtension } from 'lookback/telemetry';
import { until } from '../until.js';
import { type Collector, fieldsOf, readJson, startCollector } from './collector.js';

const closers: (() => unknown)[] = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});

async function start(extension: OpenTelemetryExtension, sample?: number): Promise<{ app: App; url: string }> {
  const app = createApp({
    configuration: { env: 'dev', debug: true, profilerStore: 'memory:' },
    logHandlers: [],
    extensions: [extension],
    ...(sample === undefined ? {} : { profiler: { sample: { rate: sample } } }),
  });
  app.get('/shelves/{name}', async ({ params, log }) => {
    recordQuery({ sql: 'SELECT * FROM shelf WHERE name = ?', durationMs: 1, rows: 3, system: 'postgresql' });
    log.warning('Dusty: {name}', { name: params.name });
    return (await fetch(new URL('/inner', url))).text();
  });
  app.get('/inner', () => 'inner');
  app.get('/fails', () => {
    throw new TypeError('The shelf fell down.', { cause: new Error('No nails.') });
  });
  const { url } = await app.listen({ port: 0 });
  closers.push(() => app.close());
  return { app, url };
}

async function collector(status?: number): Promise<Collector> {
  const started = await startCollector(status);
  closers.push(() => started.close());
  return started;
}

describe('OpenTelemetry', () => {
  it('is sent requests, their queries, calls and log lines in the words of its conventions, by JSON', async () => {
    const to = await collector();
    const { app, url } = await start(
      openTelemetry({
        traces: new BatchSpanProcessor({ exporter: new JsonTraces({ url: `${to.url}/v1/traces` }) }),
        logs: new BatchLogRecordProcessor({ exporter: new JsonLogs({ url: `${to.url}/v1/logs` }) }),
        resource: { 'service.name': 'library' },
      }),
    );
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const response = await fetch(`${url}/shelves/blue?full=1`, {
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, 'user-agent': 'reader' },
    });
    const token = response.headers.get('x-debug-token') ?? '';
    await app.close();
    const { spans, lines, resources } = readJson(to.received.map(({ body }) => body.toString()));
    assert.ok(resources.every((resource) => resource['service.name'] === 'library'));
    const outer = spans.find(({ name }) => name === 'GET /shelves/{name}');
    assert.ok(outer !== undefined);
    assert.deepEqual([outer.traceId, outer.parentSpanId, outer.kind], [traceId, 'b7ad6b7169203331', 2]);
    const said = fieldsOf(outer);
    const { host } = new URL(url);
    const expected = {
      'http.request.method': 'GET',
      'http.route': '/shelves/{name}',
      'url.path': '/shelves/blue',
      'url.query': 'full=1',
      'http.response.status_code': 200,
      'server.address': host.split(':')[0],
      'user_agent.original': 'reader',
      'lookback.record': token,
      'lookback.record.url': `${url}/_profiler/${token}`,
    };
    assert.deepEqual({ ...said, ...expected }, said);
    const mine = spans.filter((span) => fieldsOf(span)['lookback.record'] === token);
    const ids = new Set(mine.map(({ spanId }) => spanId));
    assert.equal(ids.size, mine.length);
    assert.ok(mine.every((span) => span === outer || ids.has(span.parentSpanId ?? '')));
    for (const span of mine) {
      assert.ok(BigInt(span.startTimeUnixNano) >= BigInt(outer.startTimeUnixNano) - 2_000_000n, span.name);
      assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano));
    }
    const query = mine.find((span) => 'db.query.text' in fieldsOf(span));
    assert.deepEqual(
      [
        query?.kind,
        query && fieldsOf(query)['db.system.name'],
        query && fieldsOf(query)['db.response.returned_rows'],
      ],
      [3, 'postgresql', 3],
    );
    // The request that it made went on in the same trace, below the span of the call.
    const call = mine.find((span) => fieldsOf(span)['url.full'] === `${url}/inner`);
    const inner = spans.find(({ name }) => name === 'GET /inner');
    assert.deepEqual([call?.kind, inner?.traceId, inner?.parentSpanId], [3, traceId, call?.spanId]);
    const line = lines.find(({ body }) => body.stringValue === 'Dusty: {name}');
    assert.deepEqual(
      [line?.traceId, line?.spanId, line?.severityNumber, line && fieldsOf(line)['name']],
      [traceId, outer.spanId, 13, 'blue'],
    );
  });

  it('is sent what was thrown, by protobuf', async () => {
    const to = await collector();
    const { app, url } = await start(
      openTelemetry({
        traces: new BatchSpanProcessor({ exporter: new ProtobufTraces({ url: `${to.url}/v1/traces` }) }),
        logs: new BatchLogRecordProcessor({ exporter: new ProtobufLogs({ url: `${to.url}/v1/logs` }) }),
      }),
    );
    await fetch(`${url}/fails`);
    await app.close();
    assert.deepEqual(
      [...new Set(to.received.map(({ path, contentType }) => `${path} ${contentType}`))].sort(),
      ['/v1/logs application/x-protobuf', '/v1/traces application/x-protobuf'],
    );
    const traces = Buffer.concat(
      to.received.filter(({ path }) => path === '/v1/traces').map(({ body }) => body),
    );
    for (const text of ['GET /fails', 'exception.type', 'TypeError', 'The shelf fell down.', 'No nails.'])
      assert.ok(traces.includes(text), text);
  });

  it('is sent what sampling keeps, and nothing else', async () => {
    const to = await collector();
    const { app, url } = await start(
      openTelemetry({
        traces: new BatchSpanProcessor({ exporter: new JsonTraces({ url: `${to.url}/v1/traces` }) }),
      }),
      0,
    );
    await fetch(`${url}/inner`);
    await app.close();
    assert.equal(to.received.length, 0);
  });

  it('that refuses everything costs neither a request nor a record, and is reported', async () => {
    const to = await collector(400);
    const problems: string[] = [];
    const ignore = (): void => {};
    const error = (problem: string): void => void problems.push(problem);
    diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.ERROR);
    closers.push(() => diag.disable());
    const { app, url } = await start(
      openTelemetry({
        traces: new BatchSpanProcessor({
          exporter: new JsonTraces({ url: `${to.url}/v1/traces` }),
          scheduledDelayMillis: 10,
        }),
      }),
    );
    assert.equal((await fetch(`${url}/inner`)).status, 200);
    await app.profiler?.flush();
    assert.equal(app.profiler?.counters().stored, 1);
    await until(() => problems.length > 0);
    await app.close();
    assert.match(problems.join('\n'), /OTLPExporterError|Bad Request|400/);
  });
});
