import type { Dispatcher } from '#events';
import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import type { LogHandler } from '#log';
import type { Profiler } from '#profiler';
import type { AppRoute } from './route-attribute.js';

/** What recording adds to an application; all of it is empty where nothing is recorded. */
export interface AttachedRecording {
  readonly profiler: Profiler | undefined;
  readonly dispatcher: Dispatcher;
  readonly listeners: readonly KernelListener[];
  readonly logHandlers: readonly LogHandler[];
  /** The profiler's pages. */
  readonly routes: readonly AppRoute[];
  recordOf(request: HttpRequest): { token: string; link: string } | undefined;
  close(): Promise<void>;
}

/** Puts the profiler beside the kernel: around its dispatcher, among its listeners, behind its log. */
export function attachRecording(inner: Dispatcher): AttachedRecording {
  return nothingRecorded(inner);
}

function nothingRecorded(dispatcher: Dispatcher): AttachedRecording {
  return {
    profiler: undefined,
    dispatcher,
    listeners: [],
    logHandlers: [],
    routes: [],
    recordOf: () => undefined,
    close: () => Promise.resolve(),
  };
}
