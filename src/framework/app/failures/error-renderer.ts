import { isErrorPreview, previewTypeOf } from './error-preview.js';
import {
  type Snapshot,
  type Redactor,
  dump,
  fillPlaceholders,
  headerText,
  renderSnapshotText,
} from '#core/dump';
import {
  type ErrorPageContext,
  type ErrorReport,
  type PageLogEntry,
  clientProblem,
  type renderErrorAnswer,
  reportPlace,
} from '#core/errors';
import { type HttpRequest, HttpResponse } from '#core/http';
import { type ErrorRenderer, routingOutcome } from '#framework/kernel';
import { type Logger, type LogRecord, requestLog } from '#core/log';
import { type ErrorFacts, findErrorFacts, type Profiler, requestRecording } from '#profiler';
import type { AppFoundation } from '../app-options.js';
import { reportOf, readUrlAsSent, recordOf, withoutPathSecrets } from './thrown-report.js';
import { RouteTarget } from '../routes/declare-routes.js';

/**
 * Renders errors in the format that clients accept: with all details if debug output is shown, otherwise only the
 * problem. `profiler` provides facts about the failed request and about earlier failures.
 */
export function createErrorRenderer(
  options: AppFoundation,
  { log, profiler }: { readonly log: Logger; readonly profiler: Profiler | undefined },
): ErrorRenderer {
  // The error pages' code is loaded with the first error.
  let renderAnswer: typeof renderErrorAnswer | undefined;
  const render = (
    error: unknown,
    request: HttpRequest,
    answerOf: typeof renderErrorAnswer,
  ): HttpResponse | Promise<HttpResponse> => {
    const debug = options.isShown(request) && !isErrorPreview(request);
    const problem = clientProblem(error);
    const report: ErrorReport = debug
      ? reportOf(request, error, options.flatten)
      : { status: problem.status, class: '', message: '', errors: [] };
    const respond = (facts?: ErrorFacts): HttpResponse => {
      const answer = answerOf(report, {
        debug,
        problem,
        accept: acceptOf(request),
        contentType: request.headers.get('content-type'),
        ...(debug ? { context: { ...pageContext(request, options), ...facts } } : {}),
      });
      if (answer.failure !== undefined) log.critical('The error page failed.', { error: answer.failure });
      const response = new HttpResponse(answer.body, { status: answer.status });
      for (const [name, value] of answer.headers) response.headers.append(name, value);
      return response;
    };
    const record = debug && report.status >= 500 ? recordOf(request) : undefined;
    if (record === undefined || profiler === undefined) return respond();
    const prefix = record.link.slice(0, record.link.lastIndexOf('/'));
    return findErrorFacts({ reader: profiler, prefix }, record.recording.token).then(respond);
  };
  return {
    render(error, request) {
      if (renderAnswer !== undefined) return render(error, request, renderAnswer);
      return import('#core/errors').then((errors) => {
        renderAnswer = errors.renderErrorAnswer;
        return render(error, request, renderAnswer);
      });
    },
  };
}

function acceptOf(request: HttpRequest): string | undefined {
  // A client that speaks plain HTTP to a TLS port is not necessarily a browser that expects a page.
  if (request.source.failure?.code === 'HTTP_TLS_EXPECTED') return 'text/plain';
  return previewTypeOf(request) ?? request.headers.get('accept');
}

function pageContext(request: HttpRequest, options: AppFoundation): ErrorPageContext {
  const log = request.scope.get(requestLog);
  const { editor } = options.configuration;
  const record = recordOf(request);
  const controller = controllerOf(request, options);
  const routing = describeMiss(request, options);
  return {
    request: {
      method: request.method,
      url: withoutPathSecrets(readUrlAsSent(request), request, options.redactor),
      headers: [...request.headers].map(([name, value]) => [name, headerText(value)]),
    },
    logs: (log?.records ?? []).map((entry) => pageLog(request, entry, options.redactor)),
    ...(log === undefined || log.dropped === 0 ? {} : { moreLogs: log.dropped }),
    ...(routing === undefined ? {} : { routing }),
    ...(controller === undefined ? {} : { controller }),
    ...(record === undefined ? {} : { record: { token: record.recording.token, link: record.link } }),
    ...(editor === undefined ? {} : { editor }),
  };
}

/** Returns where the request's route was declared, if known. */
function controllerOf(
  request: HttpRequest,
  { flatten, redactor }: AppFoundation,
): ErrorPageContext['controller'] {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome?.kind !== 'match' || !(outcome.route.target instanceof RouteTarget)) return undefined;
  const location = outcome.route.target.location?.(flatten.sources);
  if (location === undefined) return undefined;
  return reportPlace({ name: outcome.route.name, ...location }, { sources: flatten.sources, redactor });
}

function describeMiss(request: HttpRequest, { explain }: AppFoundation): ErrorPageContext['routing'] {
  const outcome = request.scope.getOwn(routingOutcome);
  if (outcome?.kind !== 'not-found' && outcome?.kind !== 'method-not-allowed') return undefined;
  const trace = explain(request);
  const near = trace.rows.flatMap(({ level, name, path, reason }) =>
    level === 'almost' ? [{ name, path, reason }] : [],
  );
  const allow = outcome.kind === 'method-not-allowed' ? { allow: outcome.allow } : {};
  // If not a route but a firewall handles the path, the error's hint says so.
  if (outcome.kind === 'method-not-allowed' && outcome.fix !== undefined)
    return near.length === 0 ? allow : { near, tried: trace.rows.length + trace.omitted, ...allow };
  const didYouMean = trace.nearMisses.map(({ name, path }) => ({ name, path }));
  return { near, tried: trace.rows.length + trace.omitted, didYouMean, ...allow };
}

function pageLog(request: HttpRequest, entry: LogRecord, redactor: Redactor): PageLogEntry {
  const startedAt = request.scope.get(requestRecording)?.startedAt;
  const time =
    startedAt === undefined
      ? new Date(entry.time).toISOString().slice(11, 23)
      : Math.max(0, entry.time - performance.timeOrigin - startedAt);
  const snapshot = entry.context === undefined ? undefined : snapshotOf(request, entry, redactor);
  const context = snapshot && renderSnapshotText(snapshot);
  return {
    time,
    level: entry.level,
    channel: entry.channel,
    message: redactor.text(fillPlaceholders(entry.message, snapshot)),
    ...(context === undefined ? {} : { context }),
  };
}

/** Returns a log context's snapshot. For a recorded request it was already taken when the line was logged. */
function snapshotOf(request: HttpRequest, entry: LogRecord, redactor: Redactor): Snapshot {
  return request.scope.get(requestRecording)?.contextOf(entry) ?? dump(entry.context, { redactor });
}
