import type { HttpRequest } from '#http';
import { type Scope, createScopeKey } from '#scope';
import type { SessionLock } from './session-locks.js';
import type { StoredSession } from './stored-session.js';
import type { Session, SessionView } from './session.js';

/** A session that a request holds. */
export interface OpenedSession {
  readonly session: Session;
  /** Hash of its id. */
  readonly hash: string | undefined;
  /** Undefined while the session is stored nowhere. */
  readonly record: StoredSession | undefined;
  /** Undefined where the request named no session. */
  readonly lock: SessionLock | undefined;
}

/** What is known of the session of one request. */
export interface SessionState {
  view?: Promise<SessionView | undefined>;
  record?: StoredSession | undefined;
  recordHash?: string;
  opening?: Promise<Session>;
  opened?: OpenedSession;
  isStored?: boolean;
}

const stateKey = createScopeKey<SessionState>('session');

/** The state of the outermost request: a sub-request that locked the same session again would wait for itself. */
export function sessionStateOf(request: HttpRequest): SessionState {
  let scope: Scope = request.scope;
  while (scope.parent !== undefined) scope = scope.parent;
  const known = scope.get(stateKey);
  if (known !== undefined) return known;
  const state: SessionState = {};
  scope.set(stateKey, state);
  return state;
}
