import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnavailableError } from '#errors';
import type { ExpiringStore } from '../stores/expiring-store.js';

export interface SessionLocks {
  /** Milliseconds after which a lock falls off. */
  readonly hold: number;
  /** Waits for the lock of a key. Throws a `ServiceUnavailableError` after the wait. */
  acquire(key: string, owner: string): Promise<SessionLock>;
}

export interface SessionLock {
  /** False when the lock may have fallen off. Measured from before it was requested, so that the store need not be queried. */
  isHeld(): boolean;
  /** Gives the lock back; does nothing the second time. */
  release(): Promise<void>;
}

/** The key of a session's lock. */
export function lockKey(key: string): string {
  return `lock:${key}`;
}

/**
 * Locks of a store. Requests of this process queue up in order; only the first of the queue calls the store, again
 * and again, since other processes may hold the lock.
 */
export function createSessionLocks(
  store: ExpiringStore,
  limits: { readonly hold: number; readonly wait: number },
): SessionLocks {
  const enter = createKeyedQueue();
  return {
    hold: limits.hold,
    async acquire(key, owner) {
      const deadline = performance.now() + limits.wait;
      const leave = await enterBefore(enter(key), limits.wait);
      let asked = 0;
      const tryLock = (): boolean | Promise<boolean> => {
        asked = performance.now();
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
      return { isHeld: () => performance.now() - asked < limits.hold, release };
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

/**
 * Lets one caller at a time through for each key, in the order they came: resolves when it is the caller's turn, with
 * what is to be called when the turn is over.
 */
export function createKeyedQueue(): (key: string) => Promise<() => void> {
  const tails = new Map<string, Promise<void>>();
  return async (key) => {
    const before = tails.get(key);
    let leave: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => (leave = resolve));
    const tail = before === undefined ? turn : before.then(() => turn);
    tails.set(key, tail);
    await before;
    return () => {
      if (tails.get(key) === tail) tails.delete(key);
      leave();
    };
  };
}
