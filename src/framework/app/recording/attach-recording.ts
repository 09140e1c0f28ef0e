import { currentRequest } from '#framework/controller';
import { createDispatcher, type Dispatcher } from '#core/events';
import { HttpRequest } from '#core/http';
import {
  type KernelListener,
  kernelListener,
  kernelPriority,
  ownGuard,
  type ResponseEvent,
  responseEvent,
} from '#framework/kernel';
import type { Logger, LogHandler } from '#core/log';
import type { RouteCollection } from '#core/routing';
import { isOfApplication } from '../app-foundation.js';
import {
  createRecordingLogHandler,
  currentRecording,
  type Profiler,
  requestRecording,
  WithheldNotices,
} from '#profiler';
import { type AssembledProfiler, assembleProfiler } from '#profiler/setup';
import { asOwnTime } from '#core/scope';
import type { AppFoundation, ProfilerAdditions, Instrumentation } from '../app-options.js';
import { accessVariables, createDebugAccess, describeConfiguration } from '../configuration/configuration.js';
import { createRecordingDispatcher } from './recording-dispatcher.js';
import type { FetchInit } from '../app.js';
import type { AppRoute } from '../route-attribute.js';
import { recordOf, withoutPathSecrets } from '../failures/thrown-report.js';
import type { finishPage } from './finish-page.js';

/** The parts that recording adds to an application; empty if nothing is recorded. */
export interface AttachedRecording {
  readonly profiler: Profiler | undefined;
  readonly dispatcher: Dispatcher;
  readonly listeners: readonly KernelListener[];
  readonly logHandlers: readonly LogHandler[];
  readonly routes: readonly AppRoute[];
  /** Instruments libraries that have been loaded since the last call. */
  look(): void;
  /** Adds the names of the installed extensions to the configuration that records show. */
  describeExtensions(names: readonly string[]): void;
  /** Starts an instrumentation; does nothing if nothing is recorded. */
  startInstrumentation(instrumentation: Instrumentation): void;
  close(): Promise<void>;
}

interface RecordingParts extends AppFoundation {
  /** Paths, as sent, whose requests are not recorded. */
  readonly unrecordedPaths: ReadonlySet<string>;
  readonly additions: ProfilerAdditions;
  /** The application's `fetch`, which is called to replay a request. */
  readonly fetch: (request: Request, init: FetchInit) => Promise<Response>;
  /** Logs store problems and, at the end, the number of records. */
  readonly log: Logger;
}

/** Creates the profiler and its connections to the kernel: a recording dispatcher, listeners, and a log handler. */
export function attachRecording(parts: RecordingParts): AttachedRecording {
  const { configuration, additions, redactor, flatten, log } = parts;
  const { profilerStore: store, sample, ignore } = configuration;
  if (store === 'off') return noRecording(parts);
  const stops: (() => void)[] = [];
  const assembled = assembleProfiler({
    settings: {
      ...configuration,
      store,
      sample: { ...sample, ...additions.sample },
      ignore: additions.ignore ?? ignore,
    },
    additions,
    redactor,
    flatten,
    facts: describeConfiguration(configuration),
    warn: (message, error) => log.warning(message, error === undefined ? {} : { error }),
  });
  const { profiler } = assembled;
  const declare = createRouteNote(profiler, parts.routes);
  const onBegin = (): void => {
    assembled.look();
    declare();
  };
  const onFailure = (error: unknown): void =>
    log.warning('The profiler failed; the request was not affected.', { error });
  return {
    profiler,
    dispatcher: createRecordingDispatcher(profiler, { ...parts, onBegin, onFailure }),
    listeners: [createDebugTokenListener(parts)],
    logHandlers: [createRecordingLogHandler()],
    routes: profilerRoutes(assembled, parts),
    look: () => assembled.look(),
    describeExtensions: (names) => profiler.describe({ extensions: names.join(', ') }),
    startInstrumentation: (instrumentation) => void stops.push(instrumentation(currentRecording)),
    async close() {
      for (const stop of stops.splice(0)) stop();
      await assembled.close();
      if (profiler.counters().made > 0) log.info(describeCounters(profiler));
    },
  };
}

function noRecording(parts: RecordingParts): AttachedRecording {
  return {
    profiler: undefined,
    dispatcher: createDispatcher(),
    listeners: parts.configuration.debug ? [createDebugTokenListener(parts)] : [],
    logHandlers: [],
    routes: [],
    look: () => undefined,
    describeExtensions: () => undefined,
    startInstrumentation: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** Returns a function that declares the application's routes, now and after each change. */
function createRouteNote(profiler: Profiler, routes: RouteCollection): () => void {
  let version = -1;
  return () => {
    if (version === routes.version) return;
    version = routes.version;
    const own = routes.all().filter(isOfApplication);
    profiler.declareRoutes({ routes: own.map(({ name, path }) => ({ name, path })), isComplete: true });
  };
}

/** Renders the counters as a line for the log: `made = stored + pruned + dropped + pending`. */
function describeCounters(profiler: Profiler): string {
  const { made, stored, pruned, dropped, pending } = profiler.counters();
  const lost = Object.values(dropped).reduce((all, count) => all + count, 0);
  return `Records: ${made} made = ${stored} stored + ${pruned} pruned + ${lost} dropped + ${pending} pending.`;
}

/**
 * Creates the routes for the profiler's pages, whose condition fails for clients without access: for them, the paths
 * are unknown.
 */
function profilerRoutes(
  profiler: AssembledProfiler,
  { configuration, fetch }: RecordingParts,
): readonly AppRoute[] {
  // No client may see the pages; routes that refuse everyone would only reveal themselves through their timing.
  if (!configuration.debug) return [];
  const access = createDebugAccess(configuration);
  const pages = profiler.pages({
    access,
    replay: (request, { peer }) => fetch(request, { peer }),
  });
  return pages.map((page) => ({
    ...page,
    arguments: [currentRequest()],
    condition: (_context, request) => {
      const isOpen = request instanceof HttpRequest && access(request).allowed;
      // In an application that protects everything, access rules would lock out clients that the guard admits.
      if (isOpen) request.scope.set(ownGuard, '_profiler');
      return isOpen;
    },
  }));
}

/**
 * Creates the listener that finishes responses for clients that may see debug output. In debug, it logs which clients
 * were refused, and why.
 */
function createDebugTokenListener(parts: RecordingParts): KernelListener {
  const { isShown, configuration, additions } = parts;
  const origins = configuration.debugOrigins;
  const hasToolbar = additions.toolbar ?? configuration.toolbar;
  const noteWithheld = createWithheldNote(parts);
  let finish: typeof finishPage | undefined;
  return kernelListener(
    responseEvent,
    (event) => {
      // Access is checked first: most of a recorded application's clients may not see records, and need no record URL.
      if (!isShown(event.request)) return noteWithheld?.(event);
      const record = recordOf(event.request);
      if (record === undefined) return undefined;
      // Loaded with the first response to a client that may see debug output.
      const known = finish;
      if (known !== undefined) return asOwnTime(() => known(event, record, { origins, hasToolbar }));
      return import('./finish-page.js').then((page) => {
        finish = page.finishPage;
        asOwnTime(() => page.finishPage(event, record, { origins, hasToolbar }));
      });
    },
    { name: 'debug token', priority: kernelPriority.response.debugToken },
  );
}

/**
 * Returns a function that logs withheld debug output; undefined outside debug and in tests, where no one reads the log.
 */
function createWithheldNote({
  configuration: { debug, env },
  redactor,
  accessOf,
  log,
}: RecordingParts): ((event: ResponseEvent) => void) | undefined {
  if (!debug || env === 'test') return undefined;
  const notices = new WithheldNotices({
    names: accessVariables,
    write: (line) => log.warning(line),
  });
  return ({ request, response }) => {
    const token = request.scope.get(requestRecording)?.token;
    if (token === undefined && response.status < 400) return; // nothing was withheld
    const path = (): string => withoutPathSecrets(request.rawPath, request, redactor);
    notices.note({ request, path, access: accessOf(request), token });
  };
}
