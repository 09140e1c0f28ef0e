import { readOptions } from '#core/options';
import { createRedactor } from '#core/dump';
import { createSourceLoader } from '#core/errors';
import { createTrustPolicy, type TrustPolicy } from '#core/http';
import { serverLimitsOf } from '#core/http/node';
import { matchContext } from '#framework/kernel';
import {
  createLogger,
  createScopeLogHandler,
  createStreamLogHandler,
  type Logger,
  type LogHandler,
} from '#core/log';
import { createRoutes, explainMatch, type MatchTrace } from '#core/routing';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { warnOfUnknownVariables } from '#profiler/setup';
import { type AppFoundation, appSchema, type AppOptions } from './app-options.js';
import {
  applicationVariables,
  type Configuration,
  createDebugAccess,
  readConfiguration,
} from './configuration/configuration.js';
import { createLogDetail } from './failures/thrown-report.js';
import { isProfilerPath } from './recording/recording-dispatcher.js';
import { createRouteTable } from './routes/route-table.js';

/** A request's cached routing trace, shared by the record and the error page. */
const matchTrace: ScopeKey<MatchTrace> = createScopeKey<MatchTrace>('match trace');

export function createFoundation(options: AppOptions): AppFoundation {
  const { configuration: settings } = readOptions('createApp()', options, appSchema);
  warnOfUnknownVariables(process.env, applicationVariables);
  const read = readConfiguration(process.env);
  const given: Configuration = {
    ...read,
    ...settings,
    sample: { ...read.sample, ...settings?.sample },
    retention: { ...read.retention, ...settings?.retention },
  };
  const trust = trustOf(given);
  const configuration: Configuration = { ...given, basePath: trust.basePath ?? '' };
  const redactor = createRedactor();
  const routes = createRoutes();
  const table = createRouteTable(routes);
  const publicTable = createRouteTable(
    routes,
    ({ name, path }) => !isProfilerPath(path) && !name.startsWith('_profiler'),
  );
  const accessOf = createDebugAccess(configuration, configuration.debugOrigins);
  const isShown: AppFoundation['isShown'] = (request) => accessOf(request).allowed;
  const hidesRoutes = configuration.debug;
  const tableFor: AppFoundation['tableFor'] = (request) =>
    !hidesRoutes || isShown(request) ? table() : publicTable();
  return {
    configuration,
    redactor,
    flatten: { redactor, sources: createSourceLoader() },
    routes,
    table,
    trust,
    limits: serverLimitsOf('createApp(): limits', options.limits),
    tableFor,
    accessOf,
    isShown,
    explain(request) {
      let trace = request.scope.getOwn(matchTrace);
      if (trace === undefined)
        request.scope.set(
          matchTrace,
          (trace = explainMatch(tableFor(request), matchContext(request), { counts: isOfApplication })),
        );
      return trace;
    },
  };
}

const loopbackNames = ['localhost', '*.localhost', '127.0.0.1', '[::1]'];

/** Creates the trust policy. Without configured hosts, debug allows only loopback names and the configured host. */
function trustOf(configuration: Configuration): TrustPolicy {
  const { trustedProxies, trustedHosts, basePath, debug, host } = configuration;
  const own = host.includes(':') ? `[${host}]` : host;
  const debugHosts = own === '0.0.0.0' || own === '[::]' ? loopbackNames : [...loopbackNames, own];
  return createTrustPolicy({
    trustedProxies,
    basePath,
    trustedHosts:
      trustedHosts.length > 0
        ? [...trustedHosts, ...(debug ? loopbackNames : [])]
        : debug
          ? debugHosts
          : configuration.env === 'prod'
            ? undefined
            : ['*'],
  });
}

/** Creates the profiler's own logger: from `info` on; from `warning` on in tests and with `ACCESS_LOG=dev`. */
export function createProfilerLog(
  { configuration, redactor }: AppFoundation,
  handlers: readonly LogHandler[] | undefined,
): Logger {
  const isQuiet = configuration.env === 'test' || configuration.accessLog === 'dev'; // both restart the application often
  const minLevel = isQuiet ? 'warning' : 'info';
  return createLogger({
    handlers: handlers ?? [createStreamLogHandler(process.stderr, { minLevel, redactor })],
    channel: 'profiler',
  });
}

/**
 * Creates the log; `recorded` adds its lines to records. Default: a line on stderr, with the error's stack if nothing
 * is recorded.
 */
export function createAppLog(
  { configuration, redactor, flatten }: AppFoundation,
  recorded: readonly LogHandler[],
  handlers?: readonly LogHandler[],
): Logger {
  const toStderr = createStreamLogHandler(process.stderr, {
    redactor,
    // The development access log already shows the error below the request's line.
    ...(configuration.accessLog === 'dev' ? { except: ['request'] } : {}),
    ...(configuration.profilerStore === 'off' ? { detail: createLogDetail(flatten) } : {}),
  });
  const forErrorPages = configuration.debug ? [createScopeLogHandler()] : [];
  return createLogger({ handlers: [...(handlers ?? [toStderr]), ...recorded, ...forErrorPages] });
}

/** Creates the log for `ACCESS_LOG=log`: writes to the application's own handlers, or to stderr without any. */
export function createRequestLog({ redactor }: AppFoundation, handlers?: readonly LogHandler[]): Logger {
  const toStderr = (): LogHandler => createStreamLogHandler(process.stderr, { minLevel: 'info', redactor });
  return createLogger({ handlers: handlers ?? [toStderr()], channel: 'access' });
}

/** Whether a route belongs to the application, not to the profiler. */
export function isOfApplication({ name }: { readonly name: string }): boolean {
  return !name.startsWith('_profiler');
}
