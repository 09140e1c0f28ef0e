import { createRedactor } from '#dump';
import type { ErrorReport, ReportedFrame } from '#errors';
import { readTargetQuery } from '../form/read-message.js';
import type { ProfileRecord, RecordedLog } from '../model/profile-record.js';
import { recorderLimits } from '../watch/recorder-limits.js';
import {
  countOf,
  find,
  mapOf,
  type SentLine,
  type SentSpan,
  type AttributeValues,
  textOf,
  toMs,
  valueOf,
} from './otlp-file.js';

const redactor = createRedactor();

/** A span with its attributes as a map. Only the server span of a request has child spans (`inside`) and log lines. */
export interface ReadSpan {
  readonly span: SentSpan;
  readonly attributes: AttributeValues;
  readonly resource: AttributeValues;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly inside: ReadSpan[];
  readonly lines: SentLine[];
}

/** Builds the request from the attributes of the semantic conventions for HTTP, including the pre-stable ones. */
export function requestOf(attributes: AttributeValues): ProfileRecord['request'] {
  const scheme = textOf(attributes, 'url.scheme', 'http.scheme') === 'https' ? 'https' : 'http';
  const port = textOf(attributes, 'server.port', 'net.host.port');
  const address = textOf(attributes, 'server.address', 'http.host', 'net.host.name');
  const host = port === '' || address.includes(':') ? address : `${address}:${port}`;
  const query = textOf(attributes, 'url.query');
  const path =
    textOf(attributes, 'url.path', 'http.target') || targetOf(textOf(attributes, 'url.full', 'http.url'));
  const target = redactor.url(query === '' ? path : `${path}?${query}`);
  const clientAddress = textOf(attributes, 'client.address', 'http.client_ip', 'net.peer.ip');
  const agent = textOf(attributes, 'user_agent.original', 'http.user_agent');
  return {
    method: requestMethodOf(attributes),
    url: `${scheme}://${host}${target}`,
    target,
    path: target.replace(/\?.*$/s, ''),
    httpVersion: textOf(attributes, 'network.protocol.version', 'http.flavor') || '1.1',
    scheme,
    host,
    clientAddress,
    peer: {
      address: textOf(attributes, 'network.peer.address') || clientAddress,
      port: countOf(attributes, 'network.peer.port', 'net.peer.port'),
    },
    headers: agent === '' ? [] : [['user-agent', redactor.value('user-agent', agent)]],
    cookies: [],
    query: readTargetQuery(target),
    body: null,
    parsed: null,
    locale: null,
    user: textOf(attributes, 'user.id', 'enduser.id') || null,
  };
}

function targetOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname + new URL(url).search : '/';
}

/** Builds the controller from the attributes about source code. */
export function controllerOf(attributes: AttributeValues): ProfileRecord['controller'] {
  const name = textOf(attributes, 'code.function.name', 'code.function');
  const file = textOf(attributes, 'code.file.path', 'code.filepath');
  const place =
    file === ''
      ? { file: null, line: null }
      : { file, line: countOf(attributes, 'code.line.number', 'code.lineno') };
  return name === '' ? null : { name, ...place, arguments: [] };
}

/** Converts a descendant of a request's span to an entry of the timeline. */
export function toChildSpan(
  { span, attributes, startedAt, endedAt }: ReadSpan,
  from: number,
): ProfileRecord['timeline'][number] {
  const statement = textOf(attributes, 'db.query.text', 'db.statement');
  const isQuery = statement !== '' || find(attributes, 'db.system.name', 'db.system') !== undefined;
  const isCall = span.kind === 3 || span.kind === 'SPAN_KIND_CLIENT';
  const detail = statement || textOf(attributes, 'url.full', 'http.url', 'lookback.detail');
  return {
    name: clean(span.name, 200),
    category: textOf(attributes, 'lookback.category') || (isQuery ? 'database' : isCall ? 'http' : 'app'),
    startMs: startedAt - from,
    durationMs: Math.max(0, endedAt - startedAt),
    ...(detail === '' ? {} : { detail: statement === '' ? redactor.url(detail) : clean(detail) }),
  };
}

/** Lowest severity number of each log level. */
const levels: readonly (readonly [number: number, level: string])[] = [
  [21, 'emergency'],
  [19, 'alert'],
  [18, 'critical'],
  [17, 'error'],
  [13, 'warning'],
  [10, 'notice'],
  [9, 'info'],
];

export function levelOf({ severityNumber = 9 }: SentLine): string {
  return levels.find(([lowest]) => severityNumber >= lowest)?.[1] ?? 'debug';
}

export function toLine(line: SentLine, from: number): RecordedLog {
  const at = toMs(line.timeUnixNano ?? line.observedTimeUnixNano ?? 0);
  const entries = [...mapOf(line.attributes)].filter(([key]) => !key.startsWith('lookback.'));
  return {
    time: at,
    offsetMs: at - from,
    level: levelOf(line),
    channel: textOf(mapOf(line.attributes), 'lookback.log.channel') || 'otel',
    message: clean(String(valueOf(line.body) ?? '')),
    ...(entries.length === 0
      ? {}
      : {
          context: {
            type: 'object',
            entries: entries.map(([key, value]) => ({
              key,
              kind: 'property',
              value: { type: 'string', text: redactor.value(key, String(value)) },
            })),
          },
        }),
  };
}

/** Builds the error report from the exception events. The outermost error is the first event, but last in a report. */
export function exceptionOf({ events = [] }: SentSpan, status: number): ErrorReport | null {
  const thrown = events.filter(({ name }) => name === 'exception').toReversed();
  const errors = thrown.map(({ attributes }, at): ErrorReport['errors'][number] => {
    const values = mapOf(attributes);
    return {
      number: at + 1,
      label: String(at + 1),
      class: textOf(values, 'exception.type') || 'Error',
      message: clean(textOf(values, 'exception.message')),
      frames: framesOf(textOf(values, 'exception.stacktrace')),
      isOuter: at === thrown.length - 1,
    };
  });
  const outer = errors.at(-1);
  if (outer === undefined) return null;
  const origin = errors.flatMap(({ label, frames }) =>
    frames.flatMap(({ kind, index }) => (kind === 'app' ? [{ error: label, frame: index }] : [])),
  )[0];
  const { class: name, message } = outer;
  return {
    status: status === 0 ? 500 : status,
    class: name,
    message,
    errors,
    ...(origin === undefined ? {} : { origin }),
  };
}

/** Parses a stack trace in the format of V8. Stack traces of other languages yield no frames. */
function framesOf(stack: string): readonly ReportedFrame[] {
  return stack
    .split('\n', 100)
    .flatMap((line) => {
      const found = /^\s*at (?:(async )?([^()]{0,300}) \()?([^()]{1,1000}):(\d{1,9}):(\d{1,9})\)?$/.exec(
        line,
      );
      return found === null ? [] : [found];
    })
    .map(([, async, name = '', file = '', line, column], at) => ({
      index: at + 1,
      function: name.replace('<anonymous>', ''),
      file,
      line: Number(line),
      column: Number(column),
      kind: file.startsWith('node:') ? 'node' : file.includes('node_modules/') ? 'library' : 'app',
      async: async !== undefined,
    }));
}

/** Returns the HTTP method; empty if the span is not that of an HTTP request. */
export function requestMethodOf(attributes: AttributeValues): string {
  return textOf(attributes, 'http.request.method', 'http.method');
}

function clean(text: string, maxLength: number = recorderLimits.message): string {
  return redactor.text(text.slice(0, maxLength));
}
