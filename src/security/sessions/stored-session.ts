import type { ExpiringStore } from '../stores/expiring-store.js';

/** A session read from the store. */
export interface StoredSession {
  /** The session's values as JSON text. */
  readonly data: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds until the session expires unless it is used. */
  readonly endsIn: number;
  /** Text of the entry: a write only takes effect if the store still has this text. */
  readonly text: string;
}

/** Returns the store key for the hash of a session id. Because of the hash, session ids cannot be read from the store. */
export function sessionKey(hash: string): string {
  return `session:${hash}`;
}

export function sessionText(data: string, createdAt: number): string {
  return `${createdAt} ${data}`;
}

/**
 * Lifetime of the reference from an old session id to the new one, for requests that were in flight when the id changed.
 */
export const replacedSessionLifetimeMs = 10_000;

/** Returns the text of an entry under an old session id that refers to the new one. */
export function movedText(hash: string): string {
  return `moved ${hash}`;
}

/** Reads a session and returns it with its current hash. Follows at most three changes of the id. */
export async function readSession(
  store: ExpiringStore,
  hash: string,
): Promise<{ readonly hash: string; readonly record: StoredSession | undefined }> {
  let current = hash;
  for (let moves = 0; moves < 4; moves++) {
    const entry = await store.get(sessionKey(current));
    const [, next] = /^moved ([A-Za-z0-9_-]{43})$/.exec(entry?.value ?? '') ?? [];
    if (next === undefined) {
      const [, createdAt, data] = /^(\d+) (.*)$/s.exec(entry?.value ?? '') ?? [];
      if (entry === undefined || data === undefined) return { hash: current, record: undefined };
      const { value: text, endsIn } = entry;
      return { hash: current, record: { data, createdAt: Number(createdAt), endsIn, text } };
    }
    current = next;
  }
  return { hash: current, record: undefined };
}
