import { describeThrown } from '#errors';
import { createDispatcher, type Dispatcher } from '#events';
import type { KernelListener } from '#kernel';
import type { Logger, LogHandler } from '#log';
import type { Profiler, StoreState } from '#profiler';
import {
  createOutgoingCollectors,
  createDbCollector,
  createHeaderCollector,
  createRenderCollector,
  createSecurityCollector,
  createTranslationCollector,
  createStore,
  createProfiler,
  createRecordingLogHandler,
  currentRecording,
} from '#profiler';
import { startTaps } from '#taps';
import type { Tap } from '../app/extension.js';
import type { AppFoundation } from '../app/app-foundation.js';
import type { ProfilerAdditions } from '../app/app-options.js';
import type { FetchInit } from '../app/app.js';
import { createDebugTokenListener } from './debug-token-listener.js';
import { describeConfiguration } from '../configuration/describe-configuration.js';
import { profilerRoutes, retentionOf } from './profiler-routes.js';
import { createRecordingDispatcher } from './recording-dispatcher.js';
import type { AppRoute } from '../app/route-attribute.js';

/** The parts that recording adds to an application; empty if nothing is recorded. */
export interface AttachedRecording {
  readonly profiler: Profiler | undefined;
  readonly dispatcher: Dispatcher;
  readonly listeners: readonly KernelListener[];
  readonly logHandlers: readonly LogHandler[];
  /** Routes of the profiler's pages. */
  readonly routes: readonly AppRoute[];
  /** Starts a tap; does nothing if nothing is recorded. */
  startTap(tap: Tap): void;
  close(): Promise<void>;
}

export interface RecordingParts extends AppFoundation {
  /** Paths, as sent, whose requests are not recorded. */
  readonly unrecordedPaths: ReadonlySet<string>;
  /** Additions of the application and its extensions. */
  readonly additions: ProfilerAdditions;
  /** `fetch` of the application. */
  readonly fetch: (request: Request, init: FetchInit) => Promise<Response>;
  /** Logs problems of the store and, at the end, the number of records. */
  readonly log: Logger;
}

/** Creates the profiler and its connections to the kernel: a recording dispatcher, listeners, and a log handler. */
export function attachRecording(parts: RecordingParts): AttachedRecording {
  const { configuration, redactor, flatten, log } = parts;
  if (configuration.profilerStore === 'off') return noRecording();
  const listening = [
    createDbCollector({ redactor }),
    createSecurityCollector({ redactor }),
    createTranslationCollector({ redactor }),
    createRenderCollector(),
  ];
  const stops: (() => void)[] = [];
  const outgoing = createOutgoingCollectors({ redactor });
  const profiler = createProfiler({
    collectors: [
      createHeaderCollector({ redactor }),
      ...listening,
      ...outgoing.collectors,
      ...(parts.additions.collectors ?? []),
    ],
    sinks: parts.additions.sinks ?? [],
    store: createStore(configuration.profilerStore, retentionOf(configuration)),
    storeName: configuration.profilerStore,
    budgets: parts.additions.budgets,
    sample: { ...configuration.sample, ...parts.additions.sample },
    redactor,
    flatten,
    config: describeConfiguration(configuration),
    onState: (state) => log.warning(describeState(state)),
    onFailure: (error) =>
      log.warning(`The profiler failed; the request was not affected: ${describeThrown(error)}`, { error }),
  });
  const taps = startTaps({ recorder: () => profiler });
  return {
    profiler,
    dispatcher: createRecordingDispatcher(profiler, { ...parts, onBegin: () => taps.look() }),
    listeners: [
      createDebugTokenListener({
        isShown: parts.isShown,
        origins: configuration.debugOrigins,
        toolbar: parts.additions.toolbar ?? true,
      }),
    ],
    logHandlers: [createRecordingLogHandler()],
    routes: profilerRoutes(profiler, parts),
    startTap: (tap) => void stops.push(tap(currentRecording)),
    async close() {
      taps.stop();
      for (const collector of [...listening, outgoing]) collector.close();
      for (const stop of stops.splice(0)) stop();
      await profiler.close();
      if (profiler.counters().made > 0) log.info(describeCounters(profiler));
    },
  };
}

function noRecording(): AttachedRecording {
  return {
    profiler: undefined,
    dispatcher: createDispatcher(),
    listeners: [],
    logHandlers: [],
    routes: [],
    startTap: () => undefined,
    close: () => Promise.resolve(),
  };
}

function describeState(state: StoreState): string {
  if (state.status === 'ready' && state.setAside !== null)
    return `The record store was damaged: it lies at ${state.setAside} now, and a new one was begun (${state.store}). "lookback store repair --from ${state.setAside}" puts its readable records into the new one.`;
  if (state.status === 'ready') return `The record store works again (${state.store}).`;
  return `${state.code ?? state.status}: ${state.message} Records are kept in memory meanwhile (${state.store}).`;
}

/** Renders the counters as a line for the log: `made = stored + pruned + dropped + pending`. */
function describeCounters(profiler: Profiler): string {
  const { made, stored, pruned, dropped, pending } = profiler.counters();
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  return `Records: ${made} made = ${stored} stored + ${sum(pruned)} pruned + ${sum(dropped)} dropped + ${pending} pending.`;
}
