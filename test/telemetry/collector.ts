import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What was sent to a collector. */
export interface Received {
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface Collector {
  readonly url: string;
  readonly received: readonly Received[];
  close(): void;
}

/** Takes whatever is exported, as a collector of OpenTelemetry does; with a status, refuses it. */
export async function startCollector(status = 200): Promise<Collector> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      received.push({ path: url, contentType: headers['content-type'] ?? '', body: Buffer.concat(chunks) });
      response.writeHead(status, { 'content-type': headers['content-type'] ?? '' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a listening server
  return { url: `http://127.0.0.1:${port}`, received, close: () => server.close() };
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly boolValue?: boolean;
}
type Fields = readonly { readonly key: string; readonly value: Value }[];

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Fields;
  readonly status: { readonly code: number };
  readonly events: readonly { readonly name: string; readonly attributes: Fields }[];
}
interface Line {
  readonly traceId: string;
  readonly spanId: string;
  readonly severityNumber: number;
  readonly body: Value;
  readonly attributes: Fields;
}
interface Sent {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: Fields };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
  readonly resourceLogs?: readonly {
    readonly scopeLogs: readonly { readonly logRecords: readonly Line[] }[];
  }[];
}

/** Spans, log lines and resources of OTLP in JSON. */
export function readJson(texts: readonly string[]): {
  spans: Span[];
  lines: Line[];
  resources: Record<string, unknown>[];
} {
  const sent = texts.map((text) => JSON.parse(text) as Sent); // what the tests look at
  const traces = sent.flatMap(({ resourceSpans = [] }) => resourceSpans);
  const logs = sent.flatMap(({ resourceLogs = [] }) => resourceLogs);
  return {
    spans: traces.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    lines: logs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
    resources: traces.map(({ resource }) => fieldsOf(resource)),
  };
}

export function fieldsOf({ attributes }: { readonly attributes: Fields }): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]),
  );
}
