import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnavailableError } from '#errors';
import type { ExpiringStore } from '../stores/expiring-store.js';

export interface SessionLocks {
  /** Milliseconds after which a lock expires. */
  readonly hold: number;
  /** Waits for the lock of a key. Throws a `ServiceUnavailableError` if the wait times out. */
  acquire(key: string): Promise<SessionLock>;
}

export interface SessionLock {
  /**
   * Returns false if the lock may have expired. Measured from before the request of the lock, so that the store need not
   * be queried.
   */
  isHeld(): boolean;
  /** Releases the lock; a second call has no effect. */
  release(): Promise<void>;
}

/** Creates locks that are entries in a store: whoever adds the entry has the lock, and the others try again. */
export function createSessionLocks(
  store: ExpiringStore,
  { hold, wait }: { readonly hold: number; readonly wait: number },
): SessionLocks {
  return {
    hold,
    async acquire(key) {
      const owner = randomUUID();
      const deadline = performance.now() + wait;
      let triedAt = performance.now();
      const isTaken = async (): Promise<boolean> => {
        triedAt = performance.now();
        return !(await store.put(`lock:${key}`, owner, { lifetime: hold, expected: null }));
      };
      for (let pause = 4; await isTaken(); pause = Math.min(50, pause * 1.5)) {
        if (triedAt >= deadline)
          throw new ServiceUnavailableError(
            1,
            'The session is in use by another request that takes too long.',
          );
        await sleep(pause * (0.5 + Math.random()));
      }
      let isReleased = false;
      return {
        isHeld: () => performance.now() - triedAt < hold,
        async release() {
          if (isReleased) return;
          isReleased = true;
          await store.remove(`lock:${key}`, owner);
        },
      };
    },
  };
}
