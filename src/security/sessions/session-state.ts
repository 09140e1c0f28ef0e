import { type OptionNames, optionNames } from '#coded-error';
import type { HttpRequest, HttpResponse } from '#http';
import { createScopeKey } from '#scope';
import { HostCookie, type Signer } from '../secrets/signed-cookies.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { SessionLock } from './session-locks.js';
import type { Session, SessionView } from './session.js';

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

/** Returns the session state of the request. */
export function sessionStateOf({ scope }: HttpRequest): SessionState {
  const known = scope.get(stateKey);
  if (known !== undefined) return known;
  const state: SessionState = {};
  scope.set(stateKey, state);
  return state;
}

export interface SessionCookieOptions {
  /** Default `session`; over HTTPS with the prefix `__Host-`, unless a domain or a path is set. */
  readonly name?: string;
  /** Domain, to send the cookie to its subdomains as well. Default: this host only. */
  readonly domain?: string;
  readonly path?: string;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}

export const sessionCookieOptionNames: OptionNames<SessionCookieOptions> =
  optionNames('name domain path sameSite');

/** Reads and writes the cookie with the signed session id. */
export interface SessionCookie extends Pick<HostCookie, 'render' | 'renderRemoval'> {
  /** Returns the session id in the cookie of a request, if its signature is valid. */
  read(request: HttpRequest): string | undefined;
}

const sessionPurpose = 'session';

/**
 * Creates the cookie for session ids: signed, `HttpOnly`, `SameSite=Lax`; on HTTPS also `Secure` and with the prefix
 * `__Host-`.
 */
export function createSessionCookie(signer: Signer, options: SessionCookieOptions = {}): SessionCookie {
  const { name = 'session', ...attributes } = options;
  const cookie = new HostCookie(name, attributes);
  return {
    read(request) {
      const value = cookie.read(request);
      const dot = value?.indexOf('.') ?? -1;
      if (value === undefined || dot < 1 || value.length > 200) return undefined;
      const id = value.slice(0, dot);
      return signer.verify(sessionPurpose, id, value.slice(dot + 1)) ? id : undefined;
    },
    render: (request, id) => cookie.render(request, `${id}.${signer.sign(sessionPurpose, id)}`),
    renderRemoval: (request) => cookie.renderRemoval(request),
  };
}

/**
 * Keeps a response with a cookie or token of one visitor out of shared caches, even if the application has set another
 * `Cache-Control`. The stricter `no-store` is left unchanged.
 */
export function keepPrivate({ headers }: HttpResponse): void {
  if (/(?:^|,)\s*no-store\s*(?:,|$)/i.test(headers.get('cache-control') ?? '')) return;
  headers.set('Cache-Control', 'private, no-cache');
}
