import { createRedactor } from '#dump';
import { createDispatcher } from '#events';
import type { HttpRequest } from '#http';
import { addKernelListeners, createKernel } from '#kernel';
import { createStreamLogHandler } from '#log';
import type { MatchTrace } from '#routing';
import { createRoutes, explainMatch, generateUrl } from '#routing';
import type { App } from './app.js';
import { appListeners } from './app-listeners.js';
import { createAppLog } from './app-log.js';
import type { AppOptions } from './app-options.js';
import { attachRecording } from './attach-recording.js';
import type { Configuration } from './configuration.js';
import { createControllerTable } from './controller-table.js';
import { createServing } from './create-serving.js';
import { createDebugAccess } from './debug-access.js';
import { addRoute, createRouteMethods } from './declare-routes.js';
import { appExtensions } from './default-steps.js';
import { createErrorRenderer } from './error-renderer.js';
import { createFetch } from './fetch.js';
import { matchContext } from './match-context.js';
import { readConfiguration } from './read-configuration.js';
import { createRouteTable } from './route-table.js';
import { createReportListener } from './thrown-report.js';
import { trustOf } from './trust-of.js';
import { createUrlGenerator } from './url-generator.js';

/** An application with the full list of steps: it answers once it has routes, and serves once it listens. */
export function createApp(options: AppOptions = {}): App {
  const configuration: Configuration = { ...readConfiguration(process.env), ...options.configuration };
  const redactor = createRedactor();
  const routes = createRoutes();
  const table = createRouteTable(routes);
  const isShown = createDebugAccess(configuration);
  const explain = (request: HttpRequest): MatchTrace => explainMatch(table(), matchContext(request));
  const stderr = createStreamLogHandler(process.stderr);
  const recording = attachRecording(createDispatcher());
  const log = createAppLog(configuration, [...(options.logHandlers ?? [stderr]), ...recording.logHandlers]);
  const extensions = appExtensions(options);
  const { dispatcher, profiler } = recording;
  const errorRenderer = createErrorRenderer({
    isShown,
    redactor,
    editor: configuration.editor,
    explain,
    recordOf: (request) => recording.recordOf(request),
    log,
  });
  addKernelListeners(dispatcher, [
    ...appListeners({ configuration, extensions, log, routes: table, errorRenderer }),
    ...(configuration.debug ? [createReportListener({ redactor })] : []),
    ...recording.listeners,
  ]);
  const generate = createUrlGenerator(table, log);
  const controllerOf = createControllerTable({ log, generateUrl: generate }, options.instantiate);
  const kernel = createKernel({ dispatcher, controllerOf, log: log.channel('kernel') });
  const trust = trustOf(configuration);
  const app: App = {
    configuration,
    routes,
    kernel,
    log,
    profiler,
    ...createRouteMethods(routes, () => app),
    on: (event, listener, listenerOptions) => dispatcher.on(event, listener, listenerOptions),
    url: (name, parameters = {}, urlOptions) => generateUrl(table(), name, parameters, urlOptions),
    handle: (request) => kernel.handle(request),
    fetch: createFetch(kernel, trust),
    ...createServing({ configuration, kernel, trust, log, closing: [...extensions, recording] }),
  };
  for (const route of [...recording.routes, ...(options.routes ?? [])]) addRoute(routes, route);
  return app.register(...(options.controllers ?? []));
}
