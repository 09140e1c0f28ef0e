import type { ProfileStore } from '../model/profile-store.js';

/** Milliseconds between two looks at a store that other processes may write to, and that does not say when. */
const pollIntervalMs = 500;

/** Wakes those who follow what is stored: when this process wrote, and when others may have. */
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

  /** Gives what ends it. The store is listened to while anyone listens here. */
  listen(wake: () => void): () => void {
    const own = (): void => wake();
    this.#wakes.add(own);
    this.#stop ??= this.#store.onNews?.(this.notify) ?? lookAgain(this.notify);
    return () => {
      this.#wakes.delete(own);
      if (this.#wakes.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }
}

function lookAgain(ring: () => void): () => void {
  const timer = setInterval(ring, pollIntervalMs).unref();
  return () => clearInterval(timer);
}
