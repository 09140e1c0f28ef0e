import type { SessionRecord, SessionStore } from './session-store.js';

/** Requests that were under way when the session got its new id may still come by the old one for so long. */
const LASTS = 10_000;

const FORM = /^\{"movedTo":"([A-Za-z0-9_-]{43})"\}$/;

/** What is left under an old key: where the session went. */
export function movedTo(key: string): SessionRecord {
  const now = Date.now();
  return { data: `{"movedTo":"${key}"}`, createdAt: now, expiresAt: now + LASTS };
}

/** The record of a key and the key that it is under by now. One that moved more often than these few times is lost. */
export async function followSession(
  store: SessionStore,
  key: string,
): Promise<{ readonly key: string; readonly record: SessionRecord | undefined }> {
  let current = key;
  for (let moves = 0; moves < 4; moves++) {
    const record = await store.read(current);
    const next = record === undefined ? undefined : FORM.exec(record.data)?.[1];
    if (next === undefined) return { key: current, record };
    current = next;
  }
  return { key: current, record: undefined };
}
