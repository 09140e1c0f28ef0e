import { EventEmitter } from 'node:events';
import { currentRecording } from '../../recording/current-recording.js';

/** Callbacks that save data synchronously before the process ends. They must not throw. */
export interface SavedAtEnd {
  /**
   * Called at the first signal of each kind for which there are other listeners. The process may continue, so open recordings stay open.
   */
  save(): void;
  end(): void;
}

/** Signals with which terminals, supervisors and (SIGUSR2) nodemon end a program. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;
/** Process state: one set of listeners serves all profilers in the process. */
const savedAtEnd = new Set<SavedAtEnd>();

/**
 * Reports uncaught errors to the recording of their request, and calls `saved` when the process ends: at its `exit`
 * event, or at a signal that ends it without one. Signals keep their meaning: if the application does not listen for a
 * signal, it still ends the process; if it does, the application decides. Returns a function that stops watching.
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

/** An error that ends the process belongs to the request it ran for, even after the response. */
function onUncaught(error: unknown): void {
  currentRecording()?.lateError(error);
}

function onExit(): void {
  for (const saved of savedAtEnd) saved.end();
}

/** Also counts hidden listeners: `tsx watch` adds one that ends the process, and replaces `process`'s method. */
function countListeners(signal: NodeJS.Signals): number {
  return EventEmitter.prototype.listenerCount.call(process, signal);
}

function onSignal(signal: NodeJS.Signals): void {
  // Removed first, and permanently. Packages such as `signal-exit` end the process only if there are no other
  // listeners, and an application that resends the signal to end itself must not find it handled.
  process.off(signal, onSignal);
  if (countListeners(signal) > 0) {
    for (const saved of savedAtEnd) saved.save();
    return;
  }
  onExit();
  process.kill(process.pid, signal);
}
