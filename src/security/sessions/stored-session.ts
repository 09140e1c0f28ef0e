import type { ExpiringStore } from '../stores/expiring-store.js';

/** A session as it was read from the store. */
export interface StoredSession {
  /** The session's values as JSON text. */
  readonly data: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds until it is over unless it is used. */
  readonly endsIn: number;
  /** The entry's text: a write takes effect only where it still stands in the store. */
  readonly text: string;
}

/** The key under which the session of a hashed id is stored. Reading a store opens no session. */
export function sessionKey(hash: string): string {
  return `session:${hash}`;
}

export function sessionText(data: string, createdAt: number): string {
  return `${createdAt} ${data}`;
}

/** Requests that were under way when the session got its new id may still come by the old one for so long. */
export const movedLifetimeMs = 10_000;

/** What is left under an old key: where the session went. */
export function movedText(hash: string): string {
  return `moved ${hash}`;
}

/** The session of a hash, and the hash that it is under by now. One that moved more often than these few times is lost. */
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
