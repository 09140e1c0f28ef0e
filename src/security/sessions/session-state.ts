import type { HttpRequest } from '#http';
import { type Scope, createScopeKey } from '#scope';
import type { SessionLock } from './session-locks.js';
import type { StoredSession } from './stored-session.js';
import type { Session, SessionView } from './session.js';

/** A session that a request has opened. */
export interface OpenedSession {
  readonly session: Session;
  /** Hash of the session id. */
  readonly hash: string | undefined;
  /** Undefined if the session is not stored yet. */
  readonly record: StoredSession | undefined;
  /** Undefined if the request has no session id. */
  readonly lock: SessionLock | undefined;
}

/** Cached state of the session of one request. */
export interface SessionState {
  view?: Promise<SessionView | undefined>;
  record?: StoredSession | undefined;
  recordHash?: string;
  opening?: Promise<Session>;
  opened?: OpenedSession;
  isStored?: boolean;
}

const stateKey = createScopeKey<SessionState>('session');

/**
 * Returns the session state of the outermost request: a sub-request that locks the same session again would cause a
 * deadlock.
 */
export function sessionStateOf(request: HttpRequest): SessionState {
  let scope: Scope = request.scope;
  while (scope.parent !== undefined) scope = scope.parent;
  const known = scope.get(stateKey);
  if (known !== undefined) return known;
  const state: SessionState = {};
  scope.set(stateKey, state);
  return state;
}
