import type { Redactor } from '#dump';
import type { ErrorReport } from '#errors';
import { visibleText } from '#html';
import { type HttpRequest, type SentResponse, requestRoute } from '#http';
import { type KernelListener, kernelListener, requestEvent, terminateEvent } from '#kernel';
import { requestIdOf } from '#log';
import { type ScopeKey, createScopeKey } from '#scope';
import type { Configuration } from '../configuration/configuration.js';
import { readOrigin, recordOf, withoutPathSecrets } from '../failures/read-origin.js';
import { thrownOf } from '../failures/thrown-report.js';

/** What is known of a request when its last byte has left. No secrets. */
interface AccessEntry {
  readonly time: string;
  readonly id: string;
  readonly client: string | null;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly route: string | null;
  readonly status: number;
  /** Of the body. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** False where the client went away or the stream failed. */
  readonly completed: boolean;
}

const startedAt: ScopeKey<number> = createScopeKey<number>('access log start');
/** Characters of a target that are written. */
const maxTextLength = 2048;

export interface AccessLogOptions {
  readonly format: Configuration['accessLog'];
  readonly redactor: Redactor;
  /** Takes whole lines. Default: standard output. */
  readonly write?: (line: string) => void;
}

/** One line for each request that came from outside; nothing where the log is off. */
export function createAccessLog(options: AccessLogOptions): readonly KernelListener[] {
  const { format, redactor, write = (line) => void process.stdout.write(line) } = options;
  if (format === 'off') return [];
  const begin = kernelListener(
    requestEvent,
    ({ request }) => {
      if (request.scope.parent === undefined) request.scope.set(startedAt, performance.now());
    },
    { name: 'access log', priority: 2048 },
  );
  const end = kernelListener(
    terminateEvent,
    ({ request, sent }) => {
      const started = request.scope.getOwn(startedAt);
      if (started === undefined) return;
      const entry = entryOf(request, sent, { redactor, started });
      if (format === 'json') write(`${JSON.stringify(entry)}\n`);
      else if (format === 'text') write(`${textOf(entry)}\n`);
      else if (entry.route?.startsWith('_profiler') !== true) write(devLines(entry, request));
    },
    { name: 'access log', priority: 2048 },
  );
  return [begin, end];
}

function entryOf(
  request: HttpRequest,
  sent: SentResponse,
  { redactor, started }: { readonly redactor: Redactor; readonly started: number },
): AccessEntry {
  const { target } = request.source;
  const safe = redactor.url(withoutPathSecrets(target.slice(0, maxTextLength), request, redactor));
  return {
    time: new Date().toISOString(),
    id: requestIdOf(request.scope),
    client: clientOf(request),
    method: request.method,
    target: target.length > maxTextLength ? `${safe}…` : safe,
    route: request.scope.get(requestRoute)?.name ?? null,
    status: sent.status,
    bytes: sent.bodyBytes,
    milliseconds: Math.round((performance.now() - started) * 10) / 10,
    completed: sent.completed,
  };
}

function clientOf(request: HttpRequest): string | null {
  try {
    return request.clientAddress ?? null;
  } catch {
    return request.peer.address ?? null; // forwarding headers that contradict each other: it was refused
  }
}

/** What the client wrote is quoted, so that it can neither look like another field nor begin a line. */
function textOf(entry: AccessEntry): string {
  const { time, client, method, target, status, bytes, milliseconds, id, completed } = entry;
  const end = completed ? '' : ' aborted';
  return `${time} ${client ?? '-'} ${quoted(method)} ${quoted(target)} ${status} ${bytes} B ${milliseconds} ms [${id}]${end}`;
}

function quoted(text: string): string {
  return /^[\w./?&=%:@+,~!$'()*;[\]-]+$/.test(text)
    ? text
    : JSON.stringify(text).replace(/[^\x20-\x7e]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** For developers: request and answer, where the record is, and the error below. */
function devLines(entry: AccessEntry, request: HttpRequest): string {
  const { method, target, status, milliseconds, completed } = entry;
  const link = readOrigin(request) === '' ? undefined : recordOf(request)?.link;
  const parts = [
    quoted(method).padEnd(6),
    quoted(target),
    status,
    `${milliseconds} ms`,
    completed ? '' : 'aborted',
    link ?? '',
  ];
  const line = parts.filter((part) => part !== '').join('  ');
  const report = status >= 500 ? thrownOf(request) : undefined;
  return report === undefined ? `${line}\n` : `${line}\n${errorLines(report)}`;
}

function errorLines(report: ErrorReport): string {
  const head = `${report.class}: ${report.message}`.split('\n')[0] ?? '';
  const error = report.errors.find(({ label }) => label === report.origin?.error);
  const frame = error?.frames.find(({ index }) => index === report.origin?.frame);
  const place = frame?.file === undefined ? [] : [`         at ${quoted(frame.file)}:${frame.line ?? 0}`];
  return [`         ${visibleText(head.slice(0, 500))}`, ...place].map((line) => `${line}\n`).join('');
}
