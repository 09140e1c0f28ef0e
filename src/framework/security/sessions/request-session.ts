import { hasDirective, type HttpRequest, type HttpResponse } from '#core/http';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { securityErrors } from '../secrets/error-codes.js';
import { hashToken, type HostCookie, randomToken, type Signer } from '../secrets/signed-cookies.js';
import { type BoundStore, StoreUnavailableError } from '../stores/bound-store.js';
import { acquireLock, type LockSettings, type SessionLock } from './session-lock.js';
import { publishNotStored, type SessionView, Session, withoutLogins } from './session.js';

/** Settings shared by all sessions. Times in milliseconds. */
export interface SessionSettings extends LockSettings {
  readonly store: BoundStore;
  readonly signer: Signer;
  readonly cookie: HostCookie;
  readonly idle: number;
  readonly absolute: number;
}

/** Set once sessions have been stored at the response event: sessions opened afterwards are read-only. */
export const sessionsAreStored: ScopeKey<true> = createScopeKey<true>('sessions are stored');

const signingPurpose = 'session';
/** Maximum size of the serialised values: the session is read with every request. */
const maxSessionBytes = 262_144;
/** Milliseconds for which requests in flight when the session id was replaced are recognised by the old id. */
const replacedLifetime = 60_000;

function readKey({ cookie, signer }: SessionSettings, request: HttpRequest): string | undefined {
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
  /** The entry's text: a write only takes effect if the store still has this text. */
  readonly text: string;
}

/** The store's entry for a request. */
interface FoundEntry {
  readonly record: StoredSession | undefined;
  /** The values, without logins, that the session had when its id was replaced; undefined if it was not replaced. */
  readonly replaced: string | undefined;
}

interface OpenedSession extends FoundEntry {
  readonly session: Session;
  readonly lock: SessionLock | undefined;
  /** Set by a login: its session is stored under a new id even if another request has replaced the old one. */
  isLogin: boolean;
}

/** One request's session. */
export class RequestSession {
  readonly #settings: SessionSettings;
  readonly #request: HttpRequest;
  /** The session's key in the store, derived from a hash of its id, so that ids cannot be read from the store. */
  readonly #key: string | undefined;
  #viewed: StoredSession | undefined;
  #view: Promise<SessionView | undefined> | undefined;
  #isReplaced = false;
  #opening: Promise<Session> | undefined;
  #opened: OpenedSession | undefined;
  #isStored = false;
  /** Whether the request fails if the session cannot be stored. */
  #isNeeded = false;
  /** The values as text, as they were when the response began. */
  #data: string | undefined;

  constructor(settings: SessionSettings, request: HttpRequest) {
    this.#settings = settings;
    this.#request = request;
    this.#key = readKey(settings, request);
  }

  /** Whether the request has a validly signed session id. */
  get hasId(): boolean {
    return this.#key !== undefined;
  }

  /**
   * Returns the stored session without locking it; undefined if there is none. Synchronous if the request has no
   * session id.
   */
  view(): SessionView | undefined | Promise<SessionView | undefined> {
    if (this.#opened !== undefined) return this.#opened.session;
    return this.#key === undefined ? undefined : (this.#view ??= this.#readView(this.#key));
  }

  /**
   * Returns the session, locked for this request until its response event; starts a new session if there is none. After
   * the response event, returns it without a lock, read-only.
   */
  open(): Promise<Session> {
    this.#isNeeded = true;
    const isOver = this.#isStored || this.#request.scope.get(sessionsAreStored) === true;
    return (this.#opening ??= isOver ? this.#openLate() : this.#open());
  }

  /**
   * Like `open`, for a login with full credentials: if another request has replaced the session id meanwhile (the form
   * was sent twice), the new session starts with the previous values.
   */
  async openForLogin(): Promise<Session> {
    const session = await this.open();
    const opened = this.#opened;
    if (opened === undefined || opened.isLogin) return session;
    opened.isLogin = true;
    if (opened.replaced !== undefined) session.adopt(opened.replaced);
    return session;
  }

  /**
   * Like `open`, for a remembered login, which the visitor did not ask for: if its session cannot be stored, the request
   * is answered all the same, and the next one restores the login again.
   */
  openForRemembered(): Promise<Session> {
    const wasNeeded = this.#isNeeded;
    const opening = this.open();
    this.#isNeeded = wasNeeded;
    return opening;
  }

  /** Stores the changes, sets the cookie and releases the lock. Called at the response event. */
  store(response: HttpResponse): void | Promise<void> {
    if (this.#isStored || (this.#opening === undefined && this.#view === undefined)) return;
    this.#isStored = true; // if storing fails, the response listeners run again, and must not store a second time
    if (!response.headers.has('cache-control')) response.headers.set('Cache-Control', 'private, no-cache');
    return this.#opening === undefined ? this.#extendIdle(this.#viewed) : this.#store(response);
  }

  /** Releases the lock if the session was not stored. Called when the request is finished. */
  release(): void | Promise<void> {
    return this.#opened?.lock?.release();
  }

  /** Whether a value was changed in place after the response had begun, and is therefore lost. */
  hasLateChanges(): boolean {
    const { session } = this.#opened ?? {};
    if (session === undefined || this.#data === undefined) return false;
    try {
      return session.serialize().data !== this.#data;
    } catch {
      return true; // changed to a value that cannot be stored
    }
  }

  /** Whether `view` has found that another request has replaced this one's session id. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  async #readView(key: string): Promise<SessionView | undefined> {
    const { record, replaced } = await this.#find(key);
    this.#viewed = record;
    this.#isReplaced = replaced !== undefined;
    if (this.#viewed === undefined) return undefined;
    return Session.view(this.#viewed.data);
  }

  async #find(key: string): Promise<FoundEntry> {
    const { store, absolute } = this.#settings;
    const { value: text = '', endsIn = 0 } = (await store.get(key)) ?? {};
    const [, createdAt, data] = /^(\d+) (.*)$/s.exec(text) ?? [];
    if (data !== undefined && Number(createdAt) + absolute > Date.now())
      return { record: { data, createdAt: Number(createdAt), endsIn, text }, replaced: undefined };
    return { record: undefined, replaced: (await store.get(replacedKey(key)))?.value };
  }

  async #open(): Promise<Session> {
    const key = this.#key;
    const lock = key === undefined ? undefined : await acquireLock(this.#settings, key, this.#request);
    try {
      const found = key === undefined ? foundNothing : await this.#find(key);
      const session = new Session(found.record?.data);
      this.#opened = { ...found, session, lock, isLogin: false };
      return session;
    } catch (error) {
      await lock?.release();
      throw error;
    }
  }

  async #openLate(): Promise<Session> {
    const found = this.#key === undefined ? foundNothing : await this.#find(this.#key);
    return Session.late(found.record?.data);
  }

  async #store(response: HttpResponse): Promise<void> {
    const opened = await this.#opening?.then(
      () => this.#opened,
      () => undefined, // open()'s caller has received the error
    );
    if (opened === undefined) return this.#extendIdle(this.#viewed);
    const { session, record, lock } = opened;
    try {
      const { data, changed } = session.serialize();
      this.#data = data;
      const bytes = Buffer.byteLength(data);
      if (bytes > maxSessionBytes)
        throw securityErrors.create('SECURITY_SESSION_TOO_BIG', { bytes, limit: maxSessionBytes });
      if (opened.replaced !== undefined && !opened.isLogin) {
        // A new id would replace the id that the browser has received meanwhile: the user would be logged out.
        if (changed) publishNotStored();
      } else if (record === undefined || session.wantsNewId) await this.#move(opened, data, response);
      else if (changed) await this.#replace(opened, data);
      else await this.#extendIdle(record);
    } catch (error) {
      if (this.#isNeeded || !StoreUnavailableError.is(error)) throw error;
    } finally {
      session.close();
      await lock?.release();
    }
  }

  /** Stores the session under a new id and ends the old one. An empty session is only ended. */
  async #move(opened: OpenedSession, data: string, response: HttpResponse): Promise<void> {
    const { cookie, signer, store } = this.#settings;
    const { session, record } = opened;
    if (record === undefined && session.isEmpty) return;
    if (record !== undefined || opened.isLogin) await this.#markAsReplaced(opened);
    if (record !== undefined) await this.#replace(opened, undefined);
    if (session.isEmpty) return setCookie(response, cookie.renderRemoval(this.#request));
    const id = randomToken();
    const now = Date.now();
    const lifetime = this.#lifetimeSince(now);
    await store.put(keyOf(id), `${now} ${data}`, { lifetime, expected: null });
    setCookie(response, cookie.render(this.#request, `${id}.${signer.sign(signingPurpose, id)}`));
  }

  /**
   * Leaves a marker for late requests with the old id: they get no session. It keeps the previous values for a login
   * among them, unless the session was ended.
   */
  async #markAsReplaced({ record, replaced, session }: OpenedSession): Promise<void> {
    if (this.#key === undefined) return;
    const before = record === undefined ? replaced : withoutLogins(record.data);
    const kept = session.wasInvalidated ? '[]' : (before ?? '[]');
    await this.#settings.store.put(replacedKey(this.#key), kept, { lifetime: replacedLifetime });
  }

  /**
   * Replaces or removes the entry read under the lock. Throws `SECURITY_SESSION_LOCK_LOST` if another request changed
   * it.
   */
  async #replace({ record, lock }: OpenedSession, data: string | undefined): Promise<void> {
    const { store, hold } = this.#settings;
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
    return Math.min(this.#settings.idle, createdAt + this.#settings.absolute - Date.now());
  }

  /**
   * Extends the idle time, at most once per minute (or a tenth of a shorter idle time), so that not every request
   * writes. If the store does not answer, the page is not affected, because it is complete.
   */
  async #extendIdle(record: StoredSession | undefined): Promise<void> {
    if (this.#key === undefined || record === undefined) return;
    const { store, idle } = this.#settings;
    const lifetime = this.#lifetimeSince(record.createdAt);
    if (lifetime - record.endsIn <= Math.min(60_000, idle / 10)) return;
    try {
      await store.extend(this.#key, lifetime);
    } catch (error) {
      if (!StoreUnavailableError.is(error)) throw error;
    }
  }
}

const foundNothing: FoundEntry = { record: undefined, replaced: undefined };

function keyOf(id: string): string {
  return `session:${hashToken(id)}`;
}

/** Key for a replaced session id's marker, derived from the session's key. */
function replacedKey(key: string): string {
  return `replaced:${key}`;
}

function setCookie(response: HttpResponse, value: string): void {
  response.headers.append('Set-Cookie', value);
  keepPrivate(response); // a cache that stores this cookie would send one visitor's session to others
}

/**
 * Keeps a response with a visitor's cookie out of shared caches, regardless of its `Cache-Control`; `no-store` stays.
 */
export function keepPrivate({ headers }: HttpResponse): void {
  if (hasDirective(headers.get('cache-control'), 'no-store')) return;
  headers.set('Cache-Control', 'private, no-cache');
}
