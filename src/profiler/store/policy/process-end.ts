/** What has to be saved before the process ends, synchronously. Must not throw. */
export interface SavedAtEnd {
  /** The process goes on, or others decide how it ends: what is closed is saved. */
  save(): void;
  /** The process ends now. */
  end(): void;
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Of the process, not of a request: one listener serves every profiler of the process. */
const savedAtEnd = new Set<SavedAtEnd>();

/**
 * Saves when the process ends: at its `exit` event, and at a signal that ends it without one. A signal keeps its
 * meaning: where the application does not listen for it, the process ends by it; where it does, the application decides.
 * The returned function stops this.
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
  // Packages that end the process only where there are no other listeners (`signal-exit`) must not see this listener.
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
