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
  type Said,
  textOf,
  toMs,
  valueOf,
} from './otlp-file.js';

const redactor = createRedactor();

/** A span with its attributes as a map; `inside` and `lines` of the span of a request alone. */
export interface ReadSpan {
  readonly span: SentSpan;
  readonly of: Said;
  readonly resource: Said;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly inside: ReadSpan[];
  readonly lines: SentLine[];
}

/** By the semantic conventions for HTTP, those before they were stable too. */
export function requestOf(of: Said): ProfileRecord['request'] {
  const scheme = textOf(of, 'url.scheme', 'http.scheme') === 'https' ? 'https' : 'http';
  const port = textOf(of, 'server.port', 'net.host.port');
  const named = textOf(of, 'server.address', 'http.host', 'net.host.name');
  const host = port === '' || named.includes(':') ? named : `${named}:${port}`;
  const question = textOf(of, 'url.query');
  const path = textOf(of, 'url.path', 'http.target') || targetOf(textOf(of, 'url.full', 'http.url'));
  const target = redactor.url(question === '' ? path : `${path}?${question}`);
  const address = textOf(of, 'client.address', 'http.client_ip', 'net.peer.ip');
  const agent = textOf(of, 'user_agent.original', 'http.user_agent');
  return {
    method: requestMethodOf(of),
    url: `${scheme}://${host}${target}`,
    target,
    path: target.replace(/\?.*$/s, ''),
    httpVersion: textOf(of, 'network.protocol.version', 'http.flavor') || '1.1',
    scheme,
    host,
    clientAddress: address,
    peer: {
      address: textOf(of, 'network.peer.address') || address,
      port: countOf(of, 'network.peer.port', 'net.peer.port'),
    },
    headers: agent === '' ? [] : [['user-agent', redactor.value('user-agent', agent)]],
    cookies: [],
    query: readTargetQuery(target),
    body: null,
    parsed: null,
    locale: null,
    user: textOf(of, 'user.id', 'enduser.id') || null,
  };
}

function targetOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname + new URL(url).search : '/';
}

/** The function that answered. */
export function controllerOf(of: Said): ProfileRecord['controller'] {
  const name = textOf(of, 'code.function.name', 'code.function');
  const file = textOf(of, 'code.file.path', 'code.filepath');
  const place =
    file === '' ? { file: null, line: null } : { file, line: countOf(of, 'code.line.number', 'code.lineno') };
  return name === '' ? null : { name, ...place, arguments: [] };
}

/** A span below that of a request. */
export function toStretch(
  { span, of, startedAt, endedAt }: ReadSpan,
  from: number,
): ProfileRecord['timeline'][number] {
  const statement = textOf(of, 'db.query.text', 'db.statement');
  const isQuery = statement !== '' || find(of, 'db.system.name', 'db.system') !== undefined;
  const isCall = span.kind === 3 || span.kind === 'SPAN_KIND_CLIENT';
  const detail = statement || textOf(of, 'url.full', 'http.url', 'lookback.detail');
  return {
    name: clean(span.name, 200),
    category: textOf(of, 'lookback.category') || (isQuery ? 'database' : isCall ? 'http' : 'app'),
    startMs: startedAt - from,
    durationMs: Math.max(0, endedAt - startedAt),
    ...(detail === '' ? {} : { detail: statement === '' ? redactor.url(detail) : clean(detail) }),
  };
}

/** The least severe number of each level. */
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
  return levels.find(([least]) => severityNumber >= least)?.[1] ?? 'debug';
}

/** A line of the log. */
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
            entries: entries.map(([key, said]) => ({
              key,
              kind: 'property',
              value: { type: 'string', text: redactor.value(key, String(said)) },
            })),
          },
        }),
  };
}

/** The outermost error comes first in a span, and last in a report. */
export function exceptionOf({ events = [] }: SentSpan, status: number): ErrorReport | null {
  const thrown = events.filter(({ name }) => name === 'exception').toReversed();
  const errors = thrown.map(({ attributes: given }, at): ErrorReport['errors'][number] => {
    const of = mapOf(given);
    return {
      number: at + 1,
      label: String(at + 1),
      class: textOf(of, 'exception.type') || 'Error',
      message: clean(textOf(of, 'exception.message')),
      frames: framesOf(textOf(of, 'exception.stacktrace')),
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

/** Of a stack as V8 writes it; that of another language has none that is understood. */
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

/** Empty where the span is none of a request by HTTP. */
export function requestMethodOf(of: Said): string {
  return textOf(of, 'http.request.method', 'http.method');
}

function clean(given: string, most: number = recorderLimits.message): string {
  return redactor.text(given.slice(0, most));
}
