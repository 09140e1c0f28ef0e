import { randomUUID } from 'node:crypto';
import { type OptionNames, optionNames } from '#coded-error';
import type { HttpRequest, HttpResponse } from '#http';
import {
  type KernelListener,
  finishRequestEvent,
  kernelListener,
  kernelPriority,
  responseEvent,
} from '#kernel';
import { createScopeKey, type ScopeKey } from '#scope';
import { securityErrors } from '../secrets/error-codes.js';
import { hashToken, randomToken, type Signer } from '../secrets/signed-cookies.js';
import {
  keepPrivate,
  type SessionCookie,
  type SessionCookieOptions,
  createSessionCookie,
  sessionCookieOptionNames,
  type OpenedSession,
  type SessionState,
  sessionStateOf,
  type StoredSession,
  replacedSessionLifetimeMs,
  movedText,
  readSession,
  sessionKey,
  sessionText,
} from './session-state.js';
import { type SessionLocks, createSessionLocks } from './session-locks.js';
import { type SessionView, Session } from './session.js';
import type { ExpiringStore } from '../stores/expiring-store.js';

export interface SessionOptions {
  /** Store for the sessions. Login attempts and uses of login links are counted in it too. */
  readonly store: ExpiringStore;
  readonly cookie?: SessionCookieOptions;
  /** Seconds without use after which a session expires. Default 1800. */
  readonly idleSeconds?: number;
  /** Seconds after the last change of its id (at a login) when a session expires. Default 43,200: twelve hours. */
  readonly absoluteSeconds?: number;
  /** Milliseconds that a request may lock a session before another one may take it over. Default 30,000. */
  readonly lockMilliseconds?: number;
  /** Milliseconds that a request waits for a session before it is answered with 503. Default 10,000. */
  readonly lockWaitMilliseconds?: number;
  /** Maximum size of the serialised values in bytes. Default 262,144. */
  readonly maxBytes?: number;
}

export const sessionOptionNames: OptionNames<SessionOptions> = optionNames(
  'store idleSeconds absoluteSeconds lockMilliseconds lockWaitMilliseconds maxBytes',
  { cookie: sessionCookieOptionNames },
);

/** The sessions of requests. The state of a request is stored in its scope. */
export interface Sessions {
  /** Returns whether the request has a validly signed session id. Does not query the store. */
  mayHave(request: HttpRequest): boolean;
  /** Returns a text that is unique to this session, for binding tokens to it; empty if there is no session. */
  bindingOf(request: HttpRequest): string;
  /**
   * Returns the stored session without waiting for its lock; undefined (synchronously, if the request has no session id)
   * if there is none.
   */
  view(request: HttpRequest): SessionView | undefined | Promise<SessionView | undefined>;
  /** Returns the session, locked for this request until its response event; starts a new session if there is none. */
  open(request: HttpRequest): Promise<Session>;
  /** Stores the changes, sets the cookie and releases the lock. Called at the response event. */
  store(request: HttpRequest, response: HttpResponse): void | Promise<void>;
  /** Releases the lock if the session was not stored. Called when the request is finished. */
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
      if (state.isStored === true || (state.opening === undefined && state.view === undefined)) return;
      state.isStored = true; // if storing fails, the response listeners run again and must not store a second time
      if (state.opening !== undefined) return storeSession(parts, state, { request, response });
      keepOutOfCaches(response);
      return extendIdle(parts, state.recordHash, state.record);
    },
    release(request) {
      return sessionStateOf(request).opened?.lock?.release();
    },
  };
}

/** Returns the session id of a request; its signature is checked once per request. */
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
  // An unknown id is never adopted: an attacker may have set it, and would know the id after the login.
  state.opened = { session, ...found };
  return session;
}

const noSession = { hash: undefined, record: undefined, lock: undefined } as const;

/** Locks and reads a session. If its id has changed, releases the lock of the old id and locks the new one. */
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
    () => undefined, // the caller of open() has received the error
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

/** Stores the session under a new id and removes the old entry. An empty session is only removed. */
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
  // The old entry refers to the new one only now, after the new one has been stored.
  if (isKnown && isMoved) {
    try {
      await replace(parts, opened, { text: movedText(hash), lifetime: replacedSessionLifetimeMs });
    } catch (error) {
      await parts.store.remove(sessionKey(hash));
      throw error;
    }
  }
  setCookie(response, parts.cookie.render(request, id));
}

/**
 * Replaces the entry that was read under the lock, or removes it. Throws `SECURITY_SESSION_LOCK_LOST` if the lock has
 * expired or another request has changed the session nevertheless.
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

/** Extends the idle time, at most once per minute (or tenth of a shorter idle time), so that not every request writes. */
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
  keepPrivate(response); // a cache that stores this cookie would send one visitor's session to others
}

/**
 * Creates the listeners that store the session at the response event, and release its lock when the request is finished.
 */
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
