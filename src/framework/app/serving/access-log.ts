import type { Redactor } from '#core/dump';
import { type HttpRequest, type SentResponse, requestRoute } from '#core/http';
import {
  type KernelListener,
  kernelListener,
  requestEvent,
  routingOutcome,
  terminateEvent,
} from '#framework/kernel';
import { type Logger, requestIdOf, writeQuietly } from '#core/log';
import type { Profiler } from '#profiler';
import { type ScopeKey, createScopeKey } from '#core/scope';
import type { AppFoundation } from '../app-options.js';
import { thrownOf, readOrigin, recordOf, withoutPathSecrets } from '../failures/thrown-report.js';
import { type DevEntry, quoted, renderDevLines, explainedMs } from './dev-lines.js';

type AccessEntry = ReturnType<typeof entryOf>;

const startedAt: ScopeKey<number> = createScopeKey<number>('access log start');
/** Maximum target characters written. */
const maxTextLength = 2048;

/**
 * Writes one line per request to standard output; `log` passes it to the log handlers instead, so that there is a
 * single stream. `dev` omits successful requests to `unrecordedPaths`, such as health checks.
 */
export function createAccessLog(
  foundation: Pick<AppFoundation, 'configuration' | 'redactor' | 'explain'>,
  {
    unrecordedPaths,
    log,
    profiler,
  }: {
    readonly unrecordedPaths: ReadonlySet<string>;
    readonly log: Logger;
    /** Undefined if nothing is recorded. */
    readonly profiler: Profiler | undefined;
  },
): readonly KernelListener[] {
  const { configuration, redactor } = foundation;
  const format = configuration.accessLog;
  if (format === 'off') return [];
  const write = (line: string): void => void writeQuietly(() => process.stdout.write(line));
  const begin = kernelListener(
    requestEvent,
    ({ request }) => request.scope.set(startedAt, performance.now()),
    { name: 'access log', priority: 2048 },
  );
  const end = kernelListener(
    terminateEvent,
    ({ request, sent }) => {
      const started = request.scope.getOwn(startedAt);
      if (started === undefined) return;
      const entry = entryOf(request, sent, { redactor, started });
      if (format === 'log') logEntry(entry, log);
      else if (format === 'json') write(`${JSON.stringify(entry)}\n`);
      else if (isOfInterest(entry, request, unrecordedPaths)) {
        const line = describeToDevelopers(entry, request, foundation);
        if (entry.milliseconds < explainedMs || profiler === undefined) write(renderForDevelopers(line));
        else
          void findingOf(request, profiler).then((finding) =>
            write(renderForDevelopers({ ...line, finding })),
          );
      }
    },
    { name: 'access log', priority: 2048 },
  );
  return [begin, end];
}

/** The handler adds the request's time and id itself. */
function logEntry({ time: _time, id: _id, ...entry }: AccessEntry, log: Logger): void {
  log.info(`${quoted(entry.method)} ${quoted(entry.target)} ${entry.status}`, entry);
}

/** Whether a request is interesting to a developer: not the profiler's own, nor successful health checks. */
function isOfInterest(
  { route, status }: AccessEntry,
  request: HttpRequest,
  unrecordedPaths: ReadonlySet<string>,
): boolean {
  if (route?.startsWith('_profiler') === true) return false;
  return status >= 500 || !unrecordedPaths.has(request.rawPath);
}

/** Returns a request's entry, without secrets; the names are those of `ACCESS_LOG=json`. */
function entryOf(
  request: HttpRequest,
  sent: SentResponse,
  { redactor, started }: { readonly redactor: Redactor; readonly started: number },
) {
  const { target } = request.source;
  // Truncated after redaction: a secret that was cut in half would not be recognised.
  const safe = redactor.url(withoutPathSecrets(target, request, redactor));
  return {
    time: new Date().toISOString(),
    id: requestIdOf(request.scope),
    client: clientOf(request),
    method: request.method,
    target: safe.length > maxTextLength ? `${safe.slice(0, maxTextLength)}…` : safe,
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
    return request.peer.address ?? null; // the request was refused because of contradictory forwarding headers
  }
}

/** Returns the facts that developers need: request, response, record, error, and the route they may have meant. */
function describeToDevelopers(
  entry: AccessEntry,
  request: HttpRequest,
  { explain }: Pick<AppFoundation, 'explain'>,
): DevEntry {
  const link = readOrigin(request) === '' ? undefined : recordOf(request)?.link;
  const isMiss = request.scope.getOwn(routingOutcome)?.kind === 'not-found' && entry.status === 404;
  const nearest = isMiss ? (explain(request).nearMisses[0]?.path ?? '') : undefined;
  return { ...entry, link, nearest, report: thrownOf(request) };
}

function renderForDevelopers(line: DevEntry): string {
  const { isTTY, columns } = process.stdout;
  const isColored = isTTY && process.stdout.hasColors();
  return renderDevLines(line, isColored ? columns : undefined);
}

/** Returns the sentence that explains a request's time, which is known when its record is complete. */
async function findingOf(request: HttpRequest, profiler: Profiler): Promise<string | undefined> {
  const token = recordOf(request)?.recording.token;
  const found = token === undefined ? undefined : await profiler.find(token).catch(() => undefined);
  if (found?.kind !== 'found') return undefined;
  const slow = found.record.findings?.find(({ level, explainsMs = 0 }) => level === 'warn' && explainsMs > 0);
  return slow?.text;
}
