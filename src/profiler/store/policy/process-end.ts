/** Callbacks that save data synchronously before the process ends. They must not throw. */
export interface SavedAtEnd {
  /** Called at a signal that other listeners handle. The process may continue, so only closed segments are saved. */
  save(): void;
  /** Called when the process ends now. */
  end(): void;
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** State of the process, not of a request: one set of listeners serves every profiler of the process. */
const savedAtEnd = new Set<SavedAtEnd>();

/**
 * Calls `saved` when the process ends: at its `exit` event, and at a signal that ends it without one. Signals keep
 * their meaning: if the application does not listen for a signal, the process still ends by it; if it does, the
 * application decides. Returns a function that ends the watch.
 */
export function watchProcessEnd(saved: SavedAtEnd): () => void {
  if (savedAtEnd.size === 0) {
    process.on('exit', onExit);
    listenToSignals();
  }
  savedAtEnd.add(saved);
  return () => {
    if (!savedAtEnd.delete(saved) || savedAtEnd.size > 0) return;
    process.off('exit', onExit);
    for (const signal of signals) process.off(signal, onSignal);
  };
}

function listenToSignals(): void {
  for (const signal of signals)
    if (!process.listeners(signal).includes(onSignal)) process.prependListener(signal, onSignal);
}

function onExit(): void {
  for (const saved of savedAtEnd) saved.end();
}

function onSignal(signal: NodeJS.Signals): void {
  // Removed first: packages such as `signal-exit` end the process only if there are no other listeners.
  process.off(signal, onSignal);
  if (process.listenerCount(signal) > 0) {
    for (const saved of savedAtEnd) saved.save();
    setImmediate(() => {
      if (savedAtEnd.size > 0) listenToSignals();
    });
    return;
  }
  onExit();
  process.kill(process.pid, signal);
}
