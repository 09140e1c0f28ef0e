import { isErrorPreview } from './error-preview.js';
import { findData, type Redactor, hidePathValues } from '#core/dump';
import {
  describeLeadError,
  describeThrown,
  type ErrorReport,
  flattenError,
  type FlattenOptions,
  isError,
  isHttpError,
  renderErrorTerminal,
} from '#core/errors';
import { type HttpRequest, isClientGone, requestRoute, requestRefusal, suspectsProxy } from '#core/http';
import {
  errorHandling,
  type ExceptionEvent,
  exceptionEvent,
  isLoginChallenge,
  type KernelListener,
  kernelListener,
  kernelPriority,
  responseEvent,
} from '#framework/kernel';
import { type Logger, logLevels, type LogRecord } from '#core/log';
import { requestRecording, type Recording } from '#profiler';
import { createScopeKey, type ScopeKey } from '#core/scope';
import type { AppFoundation } from '../app-options.js';

/** A request error's cached report, so that the error page and the record show the same. */
const thrownReport: ScopeKey<{
  readonly error: unknown;
  readonly replaced: number;
  readonly report: ErrorReport;
}> = createScopeKey('thrown report');

/**
 * Returns the report of an error, including the errors it replaced; creates a new one if a listener has replaced the
 * error.
 */
export function reportOf(request: HttpRequest, error: unknown, options: FlattenOptions): ErrorReport {
  const made = request.scope.get(thrownReport);
  const replaced = request.scope.get(errorHandling)?.replaced ?? [];
  if (made !== undefined && Object.is(made.error, error) && made.replaced === replaced.length)
    return made.report;
  const report = flattenError(error, { ...options, replaced });
  request.scope.set(thrownReport, { error, replaced: replaced.length, report });
  return report;
}

/** Records the error that the client received: after the throw, listeners may have replaced or answered it. */
export function recordAnswer(
  { request, error, response }: ExceptionEvent,
  recording: Recording,
  options: FlattenOptions,
): void {
  if (isClientGone(error, request)) return; // the record already shows that the request was aborted
  if (request.scope.get(isLoginChallenge) === true) return recording.error(undefined, null);
  const report = reportOf(request, error, options);
  const by = request.scope.get(errorHandling)?.by;
  if (response === undefined || response.status >= 400 || by === undefined)
    return recording.error(error, report);
  const errors = report.errors.map((one) => ({ ...one, isOuter: false }));
  recording.error(error, { ...report, errors, answered: { by, status: response.status } });
}

export function thrownOf(request: HttpRequest): ErrorReport | undefined {
  return request.scope.get(thrownReport)?.report;
}

const minRank = logLevels.indexOf('error');

/** Renders the text below a log line with an `error`: its causes and stacks, bounded and without secrets. */
export function createLogDetail(options: FlattenOptions): (record: LogRecord) => string | undefined {
  return ({ level, context }) => {
    if (logLevels.indexOf(level) < minRank || typeof context !== 'object' || context === null)
      return undefined;
    const error = findData(context, 'error');
    if (error === undefined) return undefined;
    const report = flattenError(error, { ...options, excerpts: 0 });
    // Without the marker of the error that the client received.
    const errors = report.errors.map((one) => ({ ...one, isOuter: false }));
    return renderErrorTerminal({ ...report, errors });
  };
}

const maxPathLength = 200;
/** Milliseconds between warnings of a proxy: any client can cause one. */
const warningInterval = 60_000;

/** A request's error that is not logged yet, because one of the application's listeners may answer it. */
const unloggedError: ScopeKey<{ readonly error: unknown } | undefined> = createScopeKey('unlogged error');

/**
 * Creates the listeners that record errors early, before stack and sources can change, and log them with method, path
 * and status: client errors such as unmatched requests as `notice`, anything else as `critical`. A form that is refused
 * because of a wrongly configured proxy is a `warning` once a minute: nobody can log in until that is changed. HTTP
 * errors are always logged, unless the visitor is redirected to log in. Any other error that an application listener has answered is
 * logged only if the answer is also a server error.
 */
export function createReportListeners(
  log: Logger,
  { redactor, flatten }: Pick<AppFoundation, 'redactor' | 'flatten'>,
): readonly KernelListener[] {
  let warnedAt = Number.NEGATIVE_INFINITY; // as of `performance.now`
  const levelFor = (request: HttpRequest, status: number): 'notice' | 'warning' | 'critical' => {
    const isWarning = suspectsProxy(request) && performance.now() - warnedAt >= warningInterval;
    return status < 500 && isWarning ? 'warning' : levelOf(status);
  };
  const logAt = (
    request: HttpRequest,
    level: ReturnType<typeof levelFor>,
    text: string,
    facts: LoggedFailure,
  ): void => {
    if (!log.takes(level)) return;
    if (level === 'warning') warnedAt = performance.now();
    const { method } = request;
    const path = withoutPathSecrets(request.rawPath, request, redactor);
    const location = `${method} ${path.slice(0, maxPathLength)} ${facts.status}`;
    log.log(level, `${text} (${location})`, { method, path, ...facts });
  };
  const logThrown = (request: HttpRequest, error: unknown, status = statusOf(error)): void => {
    request.scope.set(unloggedError, undefined);
    request.scope.delete(requestRefusal);
    if (isClientGone(error, request) || isErrorPreview(request)) return; // not a failure
    const level = status === 403 ? levelFor(request, status) : levelOf(status);
    if (log.takes(level))
      logAt(request, level, `Uncaught ${describe(request, error, { status, flatten })}`, { status, error });
  };
  const logRefusal = (request: HttpRequest, error: Error, status: number): void => {
    request.scope.delete(requestRefusal);
    logAt(request, levelFor(request, status), error.message, { status, error });
  };
  return [
    kernelListener(
      exceptionEvent,
      ({ error, request }) => {
        request.scope.set(unloggedError, { error });
        if (isClientGone(error, request)) return; // the record already shows that the request was aborted
        request.scope.get(requestRecording)?.error(error, reportOf(request, error, flatten));
      },
      { name: 'error report', priority: kernelPriority.exception.recording },
    ),
    kernelListener(exceptionEvent, ({ error, request }) => logThrown(request, error), {
      name: 'error log',
      priority: kernelPriority.exception.log,
    }),
    kernelListener(
      responseEvent,
      ({ request, response }) => {
        const unlogged = request.scope.getOwn(unloggedError);
        const refusal = request.scope.getOwn(requestRefusal);
        const isChallenge = request.scope.get(isLoginChallenge) === true;
        if (
          unlogged !== undefined &&
          (response.status >= 500 || (isHttpError(unlogged.error) && !isChallenge))
        )
          logThrown(request, unlogged.error, response.status);
        else if (refusal !== undefined) logRefusal(request, refusal, response.status);
      },
      { name: 'error log', priority: kernelPriority.exception.log },
    ),
  ];
}

function levelOf(status: number): 'notice' | 'critical' {
  return status < 500 ? 'notice' : 'critical';
}

/**
 * Describes a failure by the original error, with its line, and the errors that it led to. Refusals and thrown values that are not errors
 * are described unchanged.
 */
function describe(
  request: HttpRequest,
  error: unknown,
  { status, flatten }: { readonly status: number; readonly flatten: FlattenOptions },
): string {
  if (status < 500 || !isError(error)) return describeThrown(error);
  const made = request.scope.get(thrownReport);
  const report =
    made !== undefined && Object.is(made.error, error)
      ? made.report
      : flattenError(error, { ...flatten, excerpts: 0 });
  return describeLeadError(report) ?? describeThrown(error);
}

function statusOf(error: unknown): number {
  return isHttpError(error) ? error.status : 500;
}

interface LoggedFailure {
  readonly status: number;
  readonly error: unknown;
}

/** Returns a request's origin; empty if the request has no valid host (it is then refused). */
export function readOrigin(request: HttpRequest): string {
  return request.host === '' ? '' : request.origin;
}

/** Returns a request's whole URL: origin and path; an absolute URL, `*` or a malformed target unchanged. */
export function readUrlAsSent(request: HttpRequest): string {
  const { target } = request.source;
  return target === '' || target.startsWith('/') ? readOrigin(request) + target : target;
}

/** Hides the values of secret route parameters (`/reset/{token}`) in a request's URL or path. */
export function withoutPathSecrets(url: string, request: HttpRequest, redactor: Redactor): string {
  const route = request.scope.get(requestRoute);
  if (route === undefined) return url;
  const secrets = Object.entries(route.parameters).filter(([name]) => redactor.isSecretName(name));
  return hidePathValues(
    url,
    secrets.map(([, value]) => value).filter((value) => typeof value === 'string'),
  );
}

/** Returns a request's recording and its record's URL; undefined if the request is not recorded. */
export function recordOf(request: HttpRequest): { recording: Recording; link: string } | undefined {
  const recording = request.scope.get(requestRecording);
  if (recording === undefined || recording.isTailSampled) return undefined;
  return { recording, link: `${readOrigin(request)}${request.basePath}/_profiler/${recording.token}` };
}
