import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnavailableError } from '#errors';
import type { ExpiringStore } from '../stores/expiring-store.js';

export interface SessionLocks {
  /** Milliseconds after which a lock expires. */
  readonly hold: number;
  /** Waits for the lock of a key. Throws a `ServiceUnavailableError` if the wait times out. */
  acquire(key: string, owner: string): Promise<SessionLock>;
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

/** Returns the store key of the lock for a session. */
function lockKey(key: string): string {
  return `lock:${key}`;
}

/**
 * Creates locks in a store. Requests of this process wait in a FIFO queue; only the first one polls the store, because
 * another process may hold the lock.
 */
export function createSessionLocks(
  store: ExpiringStore,
  limits: { readonly hold: number; readonly wait: number },
): SessionLocks {
  const enter = createKeyedMutex();
  return {
    hold: limits.hold,
    async acquire(key, owner) {
      const deadline = performance.now() + limits.wait;
      const leave = await enterBefore(enter(key), limits.wait);
      let requestedAt = 0;
      const tryLock = (): boolean | Promise<boolean> => {
        requestedAt = performance.now();
        return store.put(lockKey(key), owner, { lifetime: limits.hold, expected: null });
      };
      try {
        await pollLock(tryLock, deadline);
      } catch (error) {
        leave();
        throw error;
      }
      let returned = false;
      const release = async (): Promise<void> => {
        if (returned) return;
        returned = true;
        try {
          await store.remove(lockKey(key), owner);
        } finally {
          leave();
        }
      };
      return { isHeld: () => performance.now() - requestedAt < limits.hold, release };
    },
  };
}

/**
 * Waits for the mutex of this process; throws after `wait` milliseconds, and then releases the mutex as soon as it is
 * acquired.
 */
async function enterBefore(entering: Promise<() => void>, wait: number): Promise<() => void> {
  const timer = new AbortController();
  const late = sleep(wait, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
  const leave = await Promise.race([entering, late]);
  timer.abort();
  if (leave !== undefined) return leave;
  void entering.then((leaveLater) => leaveLater());
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

/**
 * Creates a FIFO mutex for each key. The returned function resolves when the caller has acquired the mutex of the key, with
 * a function that releases it.
 */
export function createKeyedMutex(): (key: string) => Promise<() => void> {
  const tails = new Map<string, Promise<void>>();
  return async (key) => {
    const before = tails.get(key);
    let leave: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (leave = resolve));
    const tail = before === undefined ? released : before.then(() => released);
    tails.set(key, tail);
    await before;
    return () => {
      if (tails.get(key) === tail) tails.delete(key);
      leave();
    };
  };
}
