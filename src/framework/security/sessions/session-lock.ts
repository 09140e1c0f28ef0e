import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnavailableError } from '#core/errors';
import { type HttpRequest, requestRoute } from '#core/http';
import { callingScope, type Scope } from '#core/scope';
import { securityErrors } from '../secrets/error-codes.js';
import { type BoundStore, StoreUnavailableError } from '../stores/bound-store.js';

/** A session lock: an entry in the store. Whoever creates it holds the lock; all others retry. */
export interface SessionLock {
  /** False if the lock may have expired, measured from before it was requested, so that the store need not be asked. */
  isHeld(): boolean;
  /** Releases the lock; a second call has no effect. Never fails: an entry that cannot be removed expires. */
  release(): Promise<void>;
}

/** Times in milliseconds. */
export interface LockSettings {
  readonly store: BoundStore;
  readonly hold: number;
  readonly wait: number;
  /** This process's requests that hold a lock, by its key. */
  readonly holders: Map<string, HttpRequest>;
}

/** How long a request waits for the request that called it, which may not be awaiting the response and end soon. */
const callerWait = 250;

/**
 * Waits for a session key's lock. Throws a `ServiceUnavailableError` on timeout, and `SECURITY_SESSION_OWN_LOCK` if the
 * request that holds the lock waits for this one.
 */
export async function acquireLock(
  { store, hold, wait, holders }: LockSettings,
  key: string,
  request: HttpRequest,
): Promise<SessionLock> {
  const owner = randomUUID();
  const lockKey = `lock:${key}`;
  const removeLate = (): void => void Promise.resolve(store.remove(lockKey, owner)).catch(() => undefined);
  const began = performance.now();
  let triedAt = began;
  for (let pause = 4; ; pause = Math.min(50, pause * 1.5)) {
    if (await store.put(lockKey, owner, { lifetime: hold, expected: null }, removeLate)) break;
    const [holder, waited] = [holders.get(key), triedAt - began];
    if (holder !== undefined && waited >= Math.min(callerWait, wait)) refuseOwnLock(holder, request);
    if (waited >= wait) throw stillLocked(holder, wait);
    await sleep(pause * (0.5 + Math.random()));
    triedAt = performance.now();
  }
  holders.set(key, request);
  let isReleased = false;
  return {
    isHeld: () => performance.now() - triedAt < hold,
    async release() {
      if (isReleased) return;
      isReleased = true;
      if (holders.get(key) === request) holders.delete(key);
      try {
        await store.remove(lockKey, owner);
      } catch (error) {
        if (!StoreUnavailableError.is(error)) throw error;
      }
    },
  };
}

function refuseOwnLock(holder: HttpRequest, request: HttpRequest): void {
  if (isCaller(holder.scope, request.scope))
    throw securityErrors.create('SECURITY_SESSION_OWN_LOCK', { holder: describeHolder(holder) });
}

/**
 * Whether `app.fetch` sent the request with the scope `scope` from the request with the scope `holder`, directly or
 * indirectly.
 */
function isCaller(holder: Scope, scope: Scope): boolean {
  for (let caller = scope.get(callingScope); caller !== undefined; caller = caller.get(callingScope))
    for (let part: Scope | undefined = caller; part !== undefined; part = part.parent)
      if (part === holder) return true;
  return false;
}

/** The route without its values, which may be secret. */
function describeHolder({ method, scope }: HttpRequest): string {
  return `${method} ${scope.get(requestRoute)?.path ?? '(no route)'}`;
}

function stillLocked(holder: HttpRequest | undefined, wait: number): Error {
  const who =
    holder === undefined
      ? 'another request'
      : `${describeHolder(holder)} in this process (if that page calls its own site, it waits for itself)`;
  return new ServiceUnavailableError(1, `The session has been in use for more than ${wait} ms by ${who}.`);
}
