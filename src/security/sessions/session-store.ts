import type { CountStore } from '../counts/count-store.js';

/** What a store keeps of a session. */
export interface SessionRecord {
  /** The session's values as JSON text; a store keeps it as it is. */
  readonly data: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** From this moment on the session is gone. Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Port: where sessions are kept. Keys are hashes of session ids, so that reading a store opens no session.
 * A write takes effect only under the writer's own lock: whoever was overtaken hears `false` and has changed nothing.
 * Contract suite: `checkSessionStore`.
 */
export interface SessionStore {
  readonly name: string;
  /** What else is counted by all processes that share the sessions: tries to log in, uses of links. */
  readonly counts?: CountStore;
  /** The session, unless it is unknown or over. */
  read(key: string): SessionRecord | undefined | Promise<SessionRecord | undefined>;
  /** Tries once to lock a key (whether or not there is a session). The lock falls off by itself after `milliseconds`. */
  lock(key: string, owner: string, milliseconds: number): boolean | Promise<boolean>;
  unlock(key: string, owner: string): void | Promise<void>;
  /** Stores the session, or removes it for `undefined`; false where `owner` does not hold the lock (any more). */
  write(key: string, owner: string, record: SessionRecord | undefined): boolean | Promise<boolean>;
  /** Moves the end of a session that there is; needs no lock and leaves its data as they are. */
  touch(key: string, expiresAt: number): void | Promise<void>;
}
