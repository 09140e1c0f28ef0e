import type { ProfileStore } from '../model/profile-store.js';

/** Polling interval in milliseconds, for a store that does not report what other processes write. */
const pollIntervalMs = 500;

/** Notifies listeners when this process has written to the store, and when other processes may have. */
export class StoreNotifier {
  readonly #store: Pick<ProfileStore, 'onNews'>;
  readonly #wakes = new Set<() => void>();
  #stop: (() => void) | undefined;

  constructor(store: Pick<ProfileStore, 'onNews'>) {
    this.#store = store;
  }

  readonly notify = (): void => {
    for (const wake of this.#wakes) wake();
  };

  /** Adds a listener and returns a function that removes it. The store is followed while there are listeners. */
  listen(wake: () => void): () => void {
    const own = (): void => wake();
    this.#wakes.add(own);
    this.#stop ??= this.#store.onNews?.(this.notify) ?? poll(this.notify);
    return () => {
      this.#wakes.delete(own);
      if (this.#wakes.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }
}

function poll(notify: () => void): () => void {
  const timer = setInterval(notify, pollIntervalMs).unref();
  return () => clearInterval(timer);
}
