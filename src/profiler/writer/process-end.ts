import { replaceMethod, type Undo } from '#patches';
import { currentRecording } from '../taps/current-recording.js';

/** Callbacks that save data synchronously before the process ends. They must not throw. */
export interface SavedAtEnd {
  /** Called at a signal that other listeners handle. The process may continue: what is open stays open. */
  save(): void;
  /** Called when the process ends now. */
  end(): void;
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** State of the process, not of a request: one set of listeners serves every profiler of the process. */
const savedAtEnd = new Set<SavedAtEnd>();

/**
 * Reports an uncaught error to the recording of its request, and calls `saved` when the process ends: at its `exit` event, and at a signal that ends it without one. Signals keep
 * their meaning: if the application does not listen for a signal, the process still ends by it; if it does, the
 * application decides. Returns a function that ends the watch.
 */
export function watchProcessEnd(saved: SavedAtEnd): () => void {
  if (savedAtEnd.size === 0) {
    process.on('exit', onExit);
    process.on('uncaughtExceptionMonitor', onUncaught);
    listenToSignals();
  }
  savedAtEnd.add(saved);
  return () => {
    if (!savedAtEnd.delete(saved) || savedAtEnd.size > 0) return;
    process.off('exit', onExit);
    process.off('uncaughtExceptionMonitor', onUncaught);
    undoKill?.();
    undoKill = undefined;
    for (const signal of signals) process.off(signal, onSignal);
  };
}

function listenToSignals(): void {
  for (const signal of signals)
    if (!process.listeners(signal).includes(onSignal)) process.prependListener(signal, onSignal);
}

let undoKill: Undo | undefined; // of the process, like the listeners

/**
 * Applications that have cleaned up after a signal send it to their own process again, to end by it. With our listener
 * it would only be an event, which an empty event loop does not wait for: the process would end with status 0.
 */
function watchKill(): void {
  undoKill ??= replaceMethod(process, 'kill', (former, args) => {
    const [pid, signal = 'SIGTERM'] = args;
    if (pid === process.pid && isWatched(signal) && isAlone(signal)) {
      process.off(signal, onSignal);
      onExit();
    }
    return Reflect.apply(former, process, args);
  });
}

function isWatched(signal: unknown): signal is (typeof signals)[number] {
  return signals.some((one) => one === signal);
}

function isAlone(signal: NodeJS.Signals): boolean {
  return process.listeners(signal).every((listener) => listener === onSignal);
}

/** What ends the process belongs to the request for which it ran, also after the response. */
function onUncaught(error: unknown): void {
  currentRecording()?.lateError(error);
}

function onExit(): void {
  for (const saved of savedAtEnd) saved.end();
}

function onSignal(signal: NodeJS.Signals): void {
  // Removed first: packages such as `signal-exit` end the process only if there are no other listeners.
  process.off(signal, onSignal);
  if (process.listenerCount(signal) > 0) {
    for (const saved of savedAtEnd) saved.save();
    watchKill();
    setImmediate(() => {
      if (savedAtEnd.size > 0) listenToSignals();
    });
    return;
  }
  onExit();
  process.kill(process.pid, signal);
}
