import { randomUUID } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '#http';
import { createScopeKey, type ScopeKey } from '#scope';
import type { Signer } from '../secrets/signer.js';
import { hashToken, randomToken } from '../secrets/random-token.js';
import { securityErrors } from '../errors/error-codes.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import { keepPrivate } from './keep-private.js';
import { type SessionCookie, type SessionCookieOptions, createSessionCookie } from './session-cookie.js';
import { type SessionLocks, createSessionLocks } from './session-locks.js';
import { type OpenedSession, type SessionState, sessionStateOf } from './session-state.js';
import type { StoredSession } from './stored-session.js';
import { movedLifetimeMs, movedText, readSession, sessionKey, sessionText } from './stored-session.js';
import { type SessionView, Session } from './session.js';
import {
  type KernelListener,
  finishRequestEvent,
  kernelListener,
  kernelPriority,
  responseEvent,
} from '#kernel';

export interface SessionOptions {
  /** Where sessions are kept; tries to log in and uses of login links are counted in it too. */
  readonly store: ExpiringStore;
  readonly cookie?: SessionCookieOptions;
  /** A session unused for so long is over. Default 1800. */
  readonly idleSeconds?: number;
  /** A session so long after its id was last changed (at login) is over. Default 43,200, twelve hours. */
  readonly absoluteSeconds?: number;
  /** How long a request may hold a session before another may take it over. Default 30,000. */
  readonly lockMilliseconds?: number;
  /** How long a request waits for a session before it is answered 503. Default 10,000. */
  readonly lockWaitMilliseconds?: number;
  /** Longest text of a session's values. Default 262,144. */
  readonly maxBytes?: number;
}

/** The sessions of requests. Everything about one request is in its scope; sub-requests share their parent's session. */
export interface Sessions {
  /** Whether the request carries a session id of ours. Does not query the store. */
  mayHave(request: HttpRequest): boolean;
  /** What ties something to this session, and to no other; empty where there is none. */
  bindingOf(request: HttpRequest): string;
  /** The session as it is stored, without waiting for its lock; undefined (at once) where there is none. */
  view(request: HttpRequest): SessionView | undefined | Promise<SessionView | undefined>;
  /** The session, locked for this request until its response event; one begins where there is none. */
  open(request: HttpRequest): Promise<Session>;
  /** Stores what was changed, sets the cookie and lets the next request in. Called at the response event. */
  store(request: HttpRequest, response: HttpResponse): void | Promise<void>;
  /** Releases a session that could not be stored. */
  release(request: HttpRequest): void | Promise<void>;
}

interface Parts {
  readonly store: ExpiringStore;
  readonly cookie: SessionCookie;
  readonly locks: SessionLocks;
  readonly carried: ScopeKey<{ readonly id: string | undefined }>;
  readonly idle: number;
  readonly absolute: number;
  readonly maxBytes: number;
}

export function createSessions(signer: Signer, options: SessionOptions): Sessions {
  const parts: Parts = {
    store: options.store,
    cookie: createSessionCookie(signer, options.cookie),
    locks: createSessionLocks(options.store, {
      hold: options.lockMilliseconds ?? 30_000,
      wait: options.lockWaitMilliseconds ?? 10_000,
    }),
    carried: createScopeKey('session id'),
    idle: (options.idleSeconds ?? 1800) * 1000,
    absolute: (options.absoluteSeconds ?? 43_200) * 1000,
    maxBytes: options.maxBytes ?? 262_144,
  };
  return {
    mayHave: (request) => carriedId(parts, request) !== undefined,
    bindingOf(request) {
      const id = carriedId(parts, request);
      return id === undefined ? '' : hashToken(id);
    },
    view(request) {
      const state = sessionStateOf(request);
      if (state.opened !== undefined) return state.opened.session;
      const id = carriedId(parts, request);
      if (id === undefined) return undefined;
      return (state.view ??= readView(parts, state, id));
    },
    open(request) {
      const state = sessionStateOf(request);
      return (state.opening ??= openSession(parts, state, carriedId(parts, request)));
    },
    store(request, response) {
      const state = sessionStateOf(request);
      if (request.scope.parent !== undefined) return; // the outer request's response event stores it
      if (state.isStored === true || (state.opening === undefined && state.view === undefined)) return;
      state.isStored = true; // a second pass, after a failure here, must not store again
      if (state.opening !== undefined) return storeSession(parts, state, { request, response });
      keepOutOfCaches(response);
      return extendIdle(parts, state.recordHash, state.record);
    },
    release(request) {
      const { opened } = sessionStateOf(request);
      return request.scope.parent === undefined ? opened?.lock?.release() : undefined;
    },
  };
}

/** The id that a request carries; its signature is checked once. */
function carriedId({ carried, cookie }: Parts, request: HttpRequest): string | undefined {
  let known = request.scope.getOwn(carried);
  if (known === undefined) request.scope.set(carried, (known = { id: cookie.read(request) }));
  return known.id;
}

async function readView(parts: Parts, state: SessionState, id: string): Promise<SessionView | undefined> {
  const { hash, record } = await readRecord(parts, hashToken(id));
  state.record = record;
  state.recordHash = hash;
  if (state.record === undefined) return undefined;
  const view = new Session(state.record.data);
  view.close();
  return view;
}

async function readRecord(
  parts: Parts,
  known: string,
): Promise<{ readonly hash: string; readonly record: StoredSession | undefined }> {
  const { hash, record } = await readSession(parts.store, known);
  const isOver = record !== undefined && record.createdAt + parts.absolute <= Date.now();
  return { hash, record: isOver ? undefined : record };
}

async function openSession(parts: Parts, state: SessionState, id: string | undefined): Promise<Session> {
  const found = id === undefined ? noSession : await lockSession(parts, hashToken(id), randomUUID());
  const session = new Session(found.record?.data);
  // An id that is not known is never taken over: whoever planted it would know the id after the login.
  state.opened = { session, ...found };
  return session;
}

const noSession = { hash: undefined, record: undefined, lock: undefined } as const;

/** The session under its lock; the lock of an old id is given back for that of the new one. */
async function lockSession(
  parts: Parts,
  known: string,
  owner: string,
): Promise<Pick<OpenedSession, 'hash' | 'record' | 'lock'>> {
  for (let hash = known; ;) {
    const lock = await parts.locks.acquire(hash, owner);
    const found = await readRecord(parts, hash);
    if (found.hash === hash || found.record === undefined) return { ...found, lock };
    await lock.release();
    hash = found.hash;
  }
}

interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

async function storeSession(parts: Parts, state: SessionState, exchange: Exchange): Promise<void> {
  const opened = await state.opening?.then(
    () => state.opened,
    () => undefined, // whoever opened it got the error
  );
  keepOutOfCaches(exchange.response);
  if (opened === undefined) return extendIdle(parts, state.recordHash, state.record);
  try {
    const { data, changed } = opened.session.serialize();
    const bytes = Buffer.byteLength(data);
    if (bytes > parts.maxBytes) {
      throw securityErrors.create('SECURITY_SESSION_TOO_BIG', { bytes, limit: parts.maxBytes });
    }
    if (opened.record === undefined || opened.session.wantsNewId)
      await moveSession(parts, opened, { ...exchange, data });
    else if (changed)
      await replace(parts, opened, {
        text: sessionText(data, opened.record.createdAt),
        lifetime: lifetimeOf(parts, opened.record.createdAt),
      });
    else await extendIdle(parts, opened.hash, opened.record);
  } finally {
    opened.session.close();
    await opened.lock?.release();
  }
}

/** Stores the session under a new id, or nowhere when it is empty, and removes the old one. */
async function moveSession(
  parts: Parts,
  opened: OpenedSession,
  { data, request, response }: Exchange & { readonly data: string },
): Promise<void> {
  const isKnown = opened.record !== undefined;
  if (opened.session.isEmpty) {
    if (!isKnown) return;
    await replace(parts, opened, undefined);
    setCookie(response, parts.cookie.renderRemoval(request));
    return;
  }
  const id = randomToken();
  const hash = hashToken(id);
  const { isMoved } = opened.session;
  if (isKnown && !isMoved) await replace(parts, opened, undefined);
  const now = Date.now();
  await parts.store.put(sessionKey(hash), sessionText(data, now), {
    lifetime: lifetimeOf(parts, now),
    expected: null,
  });
  // Only now: whoever follows from the old id has to find something.
  if (isKnown && isMoved) {
    try {
      await replace(parts, opened, { text: movedText(hash), lifetime: movedLifetimeMs });
    } catch (error) {
      await parts.store.remove(sessionKey(hash));
      throw error;
    }
  }
  setCookie(response, parts.cookie.render(request, id));
}

/**
 * Puts a text over what was read under the lock, or removes that. Refused where the lock fell off, or where another
 * request changed the session in spite of it.
 */
async function replace(
  { store, locks }: Parts,
  { hash, record, lock }: OpenedSession,
  next: { readonly text: string; readonly lifetime: number } | undefined,
): Promise<void> {
  if (hash !== undefined && record !== undefined && lock?.isHeld() === true) {
    const [key, expected] = [sessionKey(hash), record.text];
    const isDone =
      next === undefined
        ? store.remove(key, expected)
        : store.put(key, next.text, { lifetime: next.lifetime, expected });
    if (await isDone) return;
  }
  throw securityErrors.create('SECURITY_SESSION_LOCK_LOST', { milliseconds: locks.hold });
}

function lifetimeOf(parts: Parts, createdAt: number): number {
  return Math.min(parts.idle, createdAt + parts.absolute - Date.now());
}

/** At most once a minute (or a tenth of a shorter idle time): reading a page should not always write. */
function extendIdle(
  parts: Parts,
  hash: string | undefined,
  record: StoredSession | undefined,
): void | Promise<void> {
  if (hash === undefined || record === undefined) return;
  const lifetime = lifetimeOf(parts, record.createdAt);
  if (lifetime - record.endsIn > Math.min(60_000, parts.idle / 10))
    return parts.store.extend(sessionKey(hash), lifetime);
}

function keepOutOfCaches(response: HttpResponse): void {
  if (!response.headers.has('cache-control')) response.headers.set('Cache-Control', 'private, no-cache');
}

function setCookie(response: HttpResponse, value: string): void {
  response.headers.append('Set-Cookie', value);
  keepPrivate(response); // a cache that kept this cookie would hand one visitor's session to others
}

/** Stores the session when the response is known, and releases it in any case when the request is over. */
export function createSessionListeners(sessions: Sessions): readonly KernelListener[] {
  return [
    kernelListener(responseEvent, ({ request, response }) => sessions.store(request, response) ?? undefined, {
      name: 'session',
      priority: kernelPriority.response.session,
    }),
    kernelListener(finishRequestEvent, ({ request }) => sessions.release(request) ?? undefined, {
      name: 'session release',
      priority: 0,
    }),
  ];
}
