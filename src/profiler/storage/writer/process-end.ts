import { EventEmitter } from 'node:events';
import { currentRecording } from '../../recording/current-recording.js';

/** Callbacks that save data synchronously before the process ends. They must not throw. */
export interface SavedAtEnd {
  /** Called at the first signal of a kind that other listeners handle. The process may continue: what is open stays open. */
  save(): void;
  end(): void;
}

/** The signals by which terminals, supervisors and, with SIGUSR2, nodemon end a program. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;
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
    for (const signal of signals) process.prependListener(signal, onSignal);
  }
  savedAtEnd.add(saved);
  return () => {
    if (!savedAtEnd.delete(saved) || savedAtEnd.size > 0) return;
    process.off('exit', onExit);
    process.off('uncaughtExceptionMonitor', onUncaught);
    for (const signal of signals) process.off(signal, onSignal);
  };
}

/** What ends the process belongs to the request for which it ran, also after the response. */
function onUncaught(error: unknown): void {
  currentRecording()?.lateError(error);
}

function onExit(): void {
  for (const saved of savedAtEnd) saved.end();
}

/** Also counts listeners that hide: `tsx watch` has one that ends the process, and replaces the method of `process`. */
function countListeners(signal: NodeJS.Signals): number {
  return EventEmitter.prototype.listenerCount.call(process, signal);
}

function onSignal(signal: NodeJS.Signals): void {
  // Removed first, and for good: packages such as `signal-exit` end the process only if there are no other listeners, and an
  // application that sends the signal again, to end by it, does not find it taken.
  process.off(signal, onSignal);
  if (countListeners(signal) > 0) {
    for (const saved of savedAtEnd) saved.save();
    return;
  }
  onExit();
  process.kill(process.pid, signal);
}
