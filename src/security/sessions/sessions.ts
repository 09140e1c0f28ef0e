import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OptionNames, optionNames } from '#coded-error';
import { ServiceUnavailableError } from '#errors';
import { type CookieOptions, hasDirective, type HttpRequest, type HttpResponse } from '#http';
import {
  type KernelListener,
  finishRequestEvent,
  kernelListener,
  kernelPriority,
  responseEvent,
} from '#kernel';
import { createScopeKey, type ScopeKey } from '#scope';
import { securityErrors } from '../secrets/error-codes.js';
import { hashToken, HostCookie, randomToken, type Signer } from '../secrets/signed-cookies.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import { type SessionView, Session } from './session.js';

export interface SessionOptions {
  /** Store for the sessions. Login attempts and uses of login links are counted in it too. */
  readonly store: ExpiringStore;
  /**
   * The cookie with the signed id: `HttpOnly`, `SameSite=Lax`, on HTTPS also `Secure` and for this host only, unless a
   * domain or a path is set. Default name `session`, on HTTPS with the prefix `__Host-`.
   */
  readonly cookie?: Pick<CookieOptions, 'domain' | 'path' | 'sameSite'> & { readonly name?: string };
  /** Seconds without use after which a session expires. Default 1800. */
  readonly idleSeconds?: number;
  /** Seconds after the last change of its id (at a login) when a session expires. Default 43,200: twelve hours. */
  readonly absoluteSeconds?: number;
  /** Milliseconds that a request may lock a session before another one may take it over. Default 30,000. */
  readonly lockMilliseconds?: number;
  /** Milliseconds that a request waits for a session before it is answered with 503. Default 10,000. */
  readonly lockWaitMilliseconds?: number;
}

export const sessionOptionNames: OptionNames<SessionOptions> = optionNames(
  'store idleSeconds absoluteSeconds lockMilliseconds lockWaitMilliseconds',
  { cookie: { name: true, domain: true, path: true, sameSite: true } },
);

export interface Sessions {
  /** Name of the cookie; over HTTPS it may have a prefix. */
  readonly cookieName: string;
  /** Returns the session of a request, which is stored in its scope, and read when it is needed. */
  of(request: HttpRequest): RequestSession;
}

const requestSession: ScopeKey<RequestSession> = createScopeKey<RequestSession>('session');

export function createSessions(signer: Signer, options: SessionOptions): Sessions {
  const { name: cookieName = 'session', ...attributes } = options.cookie ?? {};
  const parts: Parts = {
    store: options.store,
    signer,
    cookie: new HostCookie(cookieName, attributes),
    hold: options.lockMilliseconds ?? 30_000,
    wait: options.lockWaitMilliseconds ?? 10_000,
    idle: (options.idleSeconds ?? 1800) * 1000,
    absolute: (options.absoluteSeconds ?? 43_200) * 1000,
  };
  return {
    cookieName,
    of(request) {
      let session = request.scope.get(requestSession);
      if (session === undefined)
        request.scope.set(requestSession, (session = new RequestSession(parts, request)));
      return session;
    },
  };
}

/** Times in milliseconds. */
interface Parts {
  readonly store: ExpiringStore;
  readonly signer: Signer;
  readonly cookie: HostCookie;
  readonly hold: number;
  readonly wait: number;
  readonly idle: number;
  readonly absolute: number;
}

const signingPurpose = 'session';
/** Limit of the serialised values: the session is read with every request. */
const maxSessionBytes = 262_144;

function readKey({ cookie, signer }: Parts, request: HttpRequest): string | undefined {
  const [, id, signature] = /^([^.]{1,100})\.(.{1,100})$/.exec(cookie.read(request) ?? '') ?? [];
  if (id === undefined || signature === undefined) return undefined;
  return signer.verify(signingPurpose, id, signature) ? keyOf(id) : undefined;
}

interface StoredSession {
  /** The session's values as JSON text. */
  readonly data: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds until the session expires unless it is used. */
  readonly endsIn: number;
  /** Text of the entry: a write only takes effect if the store still has this text. */
  readonly text: string;
}

interface OpenedSession {
  readonly session: Session;
  /** Undefined if the session is not stored yet. An unknown id is never adopted: an attacker may have set it. */
  readonly record: StoredSession | undefined;
  readonly lock: Lock | undefined;
}

export class RequestSession {
  readonly #parts: Parts;
  readonly #request: HttpRequest;
  /** Key of the session's entry, from the hash of its id: ids cannot be read from the store. */
  readonly #key: string | undefined;
  #viewed: StoredSession | undefined;
  #view: Promise<SessionView | undefined> | undefined;
  #opening: Promise<Session> | undefined;
  #opened: OpenedSession | undefined;
  #isStored = false;

  constructor(parts: Parts, request: HttpRequest) {
    this.#parts = parts;
    this.#request = request;
    this.#key = readKey(parts, request);
  }

  /** Whether the request has a validly signed session id. */
  get hasId(): boolean {
    return this.#key !== undefined;
  }

  /** Returns the stored session without its lock; undefined if there is none, at once if the request has no session id. */
  view(): SessionView | undefined | Promise<SessionView | undefined> {
    if (this.#opened !== undefined) return this.#opened.session;
    return this.#key === undefined ? undefined : (this.#view ??= this.#readView(this.#key));
  }

  /** Returns the session, locked for this request until its response event; starts a new session if there is none. */
  open(): Promise<Session> {
    return (this.#opening ??= this.#open());
  }

  /** Stores the changes, sets the cookie and releases the lock. Called at the response event. */
  store(response: HttpResponse): void | Promise<void> {
    if (this.#isStored || (this.#opening === undefined && this.#view === undefined)) return;
    this.#isStored = true; // if storing fails, the response listeners run again and must not store a second time
    if (!response.headers.has('cache-control')) response.headers.set('Cache-Control', 'private, no-cache');
    return this.#opening === undefined ? this.#extendIdle(this.#viewed) : this.#store(response);
  }

  /** Releases the lock if the session was not stored. Called when the request is finished. */
  release(): void | Promise<void> {
    return this.#opened?.lock?.release();
  }

  async #readView(key: string): Promise<SessionView | undefined> {
    this.#viewed = await this.#read(key);
    if (this.#viewed === undefined) return undefined;
    return Session.view(this.#viewed.data);
  }

  async #read(key: string): Promise<StoredSession | undefined> {
    const { store, absolute } = this.#parts;
    const { value: text = '', endsIn = 0 } = (await store.get(key)) ?? {};
    const [, createdAt, data] = /^(\d+) (.*)$/s.exec(text) ?? [];
    if (data === undefined || Number(createdAt) + absolute <= Date.now()) return undefined;
    return { data, createdAt: Number(createdAt), endsIn, text };
  }

  async #open(): Promise<Session> {
    const key = this.#key;
    const lock = key === undefined ? undefined : await acquireLock(this.#parts, key);
    const record = key === undefined ? undefined : await this.#read(key);
    const session = new Session(record?.data);
    this.#opened = { session, record, lock };
    return session;
  }

  async #store(response: HttpResponse): Promise<void> {
    const opened = await this.#opening?.then(
      () => this.#opened,
      () => undefined, // the caller of open() has received the error
    );
    if (opened === undefined) return this.#extendIdle(this.#viewed);
    const { session, record, lock } = opened;
    try {
      const { data, changed } = session.serialize();
      const bytes = Buffer.byteLength(data);
      if (bytes > maxSessionBytes)
        throw securityErrors.create('SECURITY_SESSION_TOO_BIG', { bytes, limit: maxSessionBytes });
      if (record === undefined || session.wantsNewId) await this.#move(opened, data, response);
      else if (changed) await this.#replace(opened, data);
      else await this.#extendIdle(record);
    } finally {
      session.close();
      await lock?.release();
    }
  }

  /** Stores the session under a new id and removes the old entry. An empty session is only removed. */
  async #move(opened: OpenedSession, data: string, response: HttpResponse): Promise<void> {
    const { cookie, signer, store } = this.#parts;
    if (opened.record !== undefined) await this.#replace(opened, undefined);
    else if (opened.session.isEmpty) return;
    if (opened.session.isEmpty) return setCookie(response, cookie.renderRemoval(this.#request));
    const id = randomToken();
    const now = Date.now();
    const lifetime = this.#lifetimeSince(now);
    await store.put(keyOf(id), `${now} ${data}`, { lifetime, expected: null });
    setCookie(response, cookie.render(this.#request, `${id}.${signer.sign(signingPurpose, id)}`));
  }

  /** Replaces or removes the entry read under the lock. Throws `SECURITY_SESSION_LOCK_LOST` if another request changed it. */
  async #replace({ record, lock }: OpenedSession, data: string | undefined): Promise<void> {
    const { store, hold } = this.#parts;
    if (this.#key !== undefined && record !== undefined && lock?.isHeld() === true) {
      const { text: expected, createdAt } = record;
      const isDone =
        data === undefined
          ? store.remove(this.#key, expected)
          : store.put(this.#key, `${createdAt} ${data}`, {
              lifetime: this.#lifetimeSince(createdAt),
              expected,
            });
      if (await isDone) return;
    }
    throw securityErrors.create('SECURITY_SESSION_LOCK_LOST', { milliseconds: hold });
  }

  #lifetimeSince(createdAt: number): number {
    return Math.min(this.#parts.idle, createdAt + this.#parts.absolute - Date.now());
  }

  /** Extends the idle time, at most once per minute (or tenth of a shorter idle time), so that not every request writes. */
  #extendIdle(record: StoredSession | undefined): void | Promise<void> {
    if (this.#key === undefined || record === undefined) return;
    const { store, idle } = this.#parts;
    const lifetime = this.#lifetimeSince(record.createdAt);
    if (lifetime - record.endsIn > Math.min(60_000, idle / 10)) return store.extend(this.#key, lifetime);
  }
}

function keyOf(id: string): string {
  return `session:${hashToken(id)}`;
}

function setCookie(response: HttpResponse, value: string): void {
  response.headers.append('Set-Cookie', value);
  keepPrivate(response); // a cache that stores this cookie would send one visitor's session to others
}

/** Keeps a response with a visitor's cookie out of shared caches, whatever its `Cache-Control`; `no-store` stays. */
export function keepPrivate({ headers }: HttpResponse): void {
  if (hasDirective(headers.get('cache-control'), 'no-store')) return;
  headers.set('Cache-Control', 'private, no-cache');
}

/** The lock of a session: an entry in the store. Whoever adds it has the lock, and the others try again. */
interface Lock {
  /** False if the lock may have expired, measured from before it was requested, so that the store need not be asked. */
  isHeld(): boolean;
  /** A second call has no effect. */
  release(): Promise<void>;
}

/** Waits for the lock of a key. Throws a `ServiceUnavailableError` if the wait times out. */
async function acquireLock({ store, hold, wait }: Parts, key: string): Promise<Lock> {
  const owner = randomUUID();
  const deadline = performance.now() + wait;
  let triedAt = performance.now();
  for (let pause = 4; ; pause = Math.min(50, pause * 1.5)) {
    if (await store.put(`lock:${key}`, owner, { lifetime: hold, expected: null })) break;
    if (triedAt >= deadline)
      throw new ServiceUnavailableError(1, 'The session is in use by another request that takes too long.');
    await sleep(pause * (0.5 + Math.random()));
    triedAt = performance.now();
  }
  let isReleased = false;
  return {
    isHeld: () => performance.now() - triedAt < hold,
    async release() {
      if (isReleased) return;
      isReleased = true;
      await store.remove(`lock:${key}`, owner);
    },
  };
}

/** Store the session at the response event, and release its lock when the request is finished. */
export const sessionListeners: readonly KernelListener[] = [
  kernelListener(
    responseEvent,
    ({ request, response }) => request.scope.get(requestSession)?.store(response),
    { name: 'session', priority: kernelPriority.response.session },
  ),
  kernelListener(finishRequestEvent, ({ request }) => request.scope.get(requestSession)?.release(), {
    name: 'session release',
    priority: 0,
  }),
];
