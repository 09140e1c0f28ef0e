import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnavailableError } from '#errors';
import { createKeyedQueue } from './keyed-queue.js';
import type { SessionStore } from './session-store.js';

export interface SessionLocks {
  /** Milliseconds after which a lock falls off. */
  readonly hold: number;
  /** Waits for a key's lock; what it gives returns the lock. Throws a `ServiceUnavailableError` after the wait. */
  acquire(key: string, owner: string): Promise<() => Promise<void>>;
}

/**
 * Locks of a store. Requests of this process queue up in order; only the first of the queue asks the store, again
 * and again, since other processes may hold the lock.
 */
export function createSessionLocks(
  store: SessionStore,
  limits: { readonly hold: number; readonly wait: number },
): SessionLocks {
  const queue = createKeyedQueue();
  return {
    hold: limits.hold,
    async acquire(key, owner) {
      const deadline = performance.now() + limits.wait;
      const leave = await enterBefore(queue.enter(key), limits.wait);
      try {
        await pollLock(() => store.lock(key, owner, limits.hold), deadline);
      } catch (error) {
        leave();
        throw error;
      }
      let returned = false;
      return async () => {
        if (returned) return;
        returned = true;
        try {
          await store.unlock(key, owner);
        } finally {
          leave();
        }
      };
    },
  };
}

async function enterBefore(turn: Promise<() => void>, wait: number): Promise<() => void> {
  const timer = new AbortController();
  const late = sleep(wait, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
  const leave = await Promise.race([turn, late]);
  timer.abort();
  if (leave !== undefined) return leave;
  void turn.then((leaveLater) => leaveLater());
  throw sessionInUse();
}

async function pollLock(tryLock: () => boolean | Promise<boolean>, deadline: number): Promise<void> {
  for (let pause = 4; !(await tryLock()); pause = Math.min(100, pause * 1.5)) {
    if (performance.now() >= deadline) throw sessionInUse();
    await sleep(pause * (0.5 + Math.random()));
  }
}

function sessionInUse(): Error {
  return new ServiceUnavailableError(1, 'The session is in use by another request that takes too long.');
}
