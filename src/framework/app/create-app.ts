import { checkValue, type OptionType, optionType } from '#core/options';
import { errorPreviewRoutes } from './failures/error-preview.js';
import { addKernelListeners, createKernel, onOwnEvents } from '#framework/kernel';
import { HttpRequest, type RequestUser } from '#core/http';
import type { Around } from '#framework/controller';
import { generateUrl } from '#core/routing';
import type { App } from './app.js';
import type { AppOptions } from './app-options.js';
import { createAppLog, createFoundation, createProfilerLog, createRequestLog } from './app-foundation.js';
import {
  appExtensions,
  createCommands,
  createUse,
  installExtensions,
  profilerAdditions,
} from './install-extensions.js';
import { attachRecording } from './recording/attach-recording.js';
import { createCommandRunner } from './recording/record-command.js';
import { createControllerTable, traceLayer } from './routes/controller-table.js';
import { addRoute, createRouteMethods } from './routes/declare-routes.js';
import { urlContext, withContext } from './routes/route-table.js';
import { appListeners } from './app-listeners.js';
import { createServing, createStart } from './serving/create-serving.js';
import { createFetch } from './serving/fetch.js';

const handledRequest: OptionType<HttpRequest> = optionType(
  'an HttpRequest; app.fetch() takes a Request or a path',
  (value) => value instanceof HttpRequest,
);

/** Creates an application with all built-in listeners. Add routes to it, then call `listen` to start a server. */
export function createApp<User extends RequestUser = RequestUser>(options: AppOptions<User> = {}): App<User> {
  const foundation = createFoundation(options);
  const { configuration, routes, table } = foundation;
  const extensions = appExtensions(options);
  const unrecordedPaths = new Set<string>();
  const recording = attachRecording({
    ...foundation,
    unrecordedPaths,
    log: createProfilerLog(foundation, options.logHandlers),
    additions: profilerAdditions(options, extensions),
    fetch: (request, init) => app.fetch(request, init),
  });
  const log = createAppLog(foundation, recording.logHandlers, options.logHandlers);
  const { dispatcher, profiler } = recording;
  addKernelListeners(dispatcher, [
    ...appListeners(foundation, {
      log,
      accessLog: createRequestLog(foundation, options.logHandlers),
      unrecordedPaths,
      profiler,
      formMethod: options.formMethod === true,
    }),
    ...recording.listeners,
  ]);
  const isTraced = profiler !== undefined;
  const trace = isTraced ? traceLayer : (layer: Around): Around => layer;
  const around = (options.around ?? []).map(trace);
  const { start, isStarted } = createStart(extensions);
  const target = { ...recording, routes, extensions, unrecordedPaths, around, trace, isStarted };
  const kernel = createKernel({
    dispatcher,
    controllerOf: createControllerTable(
      {
        log,
        generateUrl: (request, { name, parameters, options }) =>
          generateUrl(table(), name, parameters, withContext(options, urlContext(request))),
      },
      { instantiate: options.instantiate, sources: foundation.flatten.sources, isTraced },
    ),
    around,
    log: log.channel('kernel'),
    traceMisses: configuration.debug || isTraced,
    debug: configuration.debug,
  });
  const app: App = {
    configuration,
    routes,
    kernel,
    log,
    extensions,
    profiler,
    ...createRouteMethods(routes, () => app, { notesLocations: configuration.debug }),
    use: createUse(target, () => app),
    ...createCommands(extensions, () => app),
    runCommand: createCommandRunner({ profiler, log: log.channel('command'), look: () => recording.look() }),
    on: onOwnEvents(dispatcher),
    listeners: () => dispatcher.allListeners(),
    url(name, parameters = {}, options = {}) {
      const { basePath } = configuration;
      return generateUrl(table(), name, parameters, withContext(options, { basePath }));
    },
    handle(request) {
      checkValue('app.handle()', 'request', request, handledRequest);
      return kernel.handle(request);
    },
    fetch: createFetch(kernel, { ...foundation, profiler }),
    start,
    ...createServing({ ...foundation, kernel, log, recording, extensions, start }),
  };
  const own = [...recording.routes, ...errorPreviewRoutes(foundation)];
  for (const route of [...own, ...(options.routes ?? [])]) addRoute(routes, route);
  installExtensions(extensions, target);
  return app.register(...(options.controllers ?? [])) as App<User>; // `options.security` provides users with this type
}
