import {
  number,
  optionsSchema,
  type OptionsSchema,
  optionsWithDefaults,
  readOptions,
  text,
} from '#core/options';
import { type CookieOptions, cookieSchema, type HttpRequest, isStreamedBody } from '#core/http';
import {
  type KernelListener,
  finishRequestEvent,
  kernelListener,
  kernelPriority,
  responseEvent,
  terminateEvent,
} from '#framework/kernel';
import { type Logger, requestLogger } from '#core/log';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { HostCookie, type Signer } from '../secrets/signed-cookies.js';
import { boundStore, defaultStoreTimeout } from '../stores/bound-store.js';
import { type ExpiringStore, expiringStore } from '../stores/expiring-store.js';
import { RequestSession, sessionsAreStored, type SessionSettings } from './request-session.js';

export interface SessionOptions {
  /** Session store. Login attempts and login link uses are also counted in it. */
  readonly store: ExpiringStore;
  /**
   * The cookie with the signed id: `HttpOnly`, `SameSite=Lax`, on HTTPS also `Secure` and for this host only, unless a
   * domain or a path is set. Default name `session`, on HTTPS with the prefix `__Host-`.
   */
  readonly cookie?: Pick<CookieOptions, 'domain' | 'path' | 'sameSite' | 'partitioned'> & {
    readonly name?: string;
  };
  /** Seconds without use after which a session expires. Default 1800. */
  readonly idleSeconds?: number;
  /** Seconds after its id last changed (at a login) until a session expires. Default 43,200: twelve hours. */
  readonly absoluteSeconds?: number;
  /** Milliseconds that a request may lock a session before another one may take it over. Default 30,000. */
  readonly lockMilliseconds?: number;
  /** Milliseconds that a request waits for a session before it is answered with 503. Default 10,000. */
  readonly lockWaitMilliseconds?: number;
  /**
   * Milliseconds within which the store must answer. Otherwise the request is answered with 503, unless it needs
   * neither the session nor the user. Default 3000; `Infinity` for no limit.
   */
  readonly storeTimeoutMilliseconds?: number;
}

const aboveZero = number({ above: 0, unit: 'milliseconds' });
const { domain, path, sameSite, partitioned } = cookieSchema.types;

/** `createSecurity` options; without a store, sessions are in the process's memory. */
export const sessionSchema: OptionsSchema<Partial<SessionOptions>, SessionDefaults> = optionsWithDefaults<
  Partial<SessionOptions>,
  SessionDefaults
>(
  {
    store: expiringStore,
    cookie: optionsSchema<NonNullable<SessionOptions['cookie']>>({
      domain,
      path,
      sameSite,
      partitioned,
      name: text,
    }),
    idleSeconds: number({ above: 0, unit: 'seconds' }),
    absoluteSeconds: number({ above: 0, unit: 'seconds' }),
    lockMilliseconds: aboveZero,
    lockWaitMilliseconds: number({ min: 0, unit: 'milliseconds' }),
    storeTimeoutMilliseconds: number({ above: 0, orInfinity: true, unit: 'milliseconds' }),
  },
  {
    idleSeconds: 1800,
    absoluteSeconds: 43_200,
    lockMilliseconds: 30_000,
    lockWaitMilliseconds: 10_000,
    storeTimeoutMilliseconds: defaultStoreTimeout,
  },
);
type SessionDefaults =
  | 'idleSeconds'
  | 'absoluteSeconds'
  | 'lockMilliseconds'
  | 'lockWaitMilliseconds'
  | 'storeTimeoutMilliseconds';

export interface Sessions {
  /** Name of the cookie; over HTTPS it may have a prefix. */
  readonly cookieName: string;
  /** Returns a request's session, which is stored in its scope, and read when needed. */
  of(request: HttpRequest): RequestSession;
}

const requestSession: ScopeKey<RequestSession> = createScopeKey<RequestSession>('session');

export function createSessions(signer: Signer, options: SessionOptions): Sessions {
  const times = readOptions('createSecurity(): sessions', options, sessionSchema);
  const { name: cookieName = 'session', ...attributes } = times.cookie ?? {};
  const settings: SessionSettings = {
    store: boundStore(options.store, times.storeTimeoutMilliseconds),
    holders: new Map(),
    signer,
    cookie: new HostCookie(cookieName, attributes),
    hold: times.lockMilliseconds,
    wait: times.lockWaitMilliseconds,
    idle: times.idleSeconds * 1000,
    absolute: times.absoluteSeconds * 1000,
  };
  return {
    cookieName,
    of(request) {
      let session = request.scope.get(requestSession);
      if (session === undefined)
        request.scope.set(requestSession, (session = new RequestSession(settings, request)));
      return session;
    },
  };
}

/**
 * Returns listeners that store the session at the response event, release its lock when the request is finished, and log
 * changes that a streamed response made too late.
 */
export function createSessionListeners(log: () => Logger | undefined): readonly KernelListener[] {
  return [
    kernelListener(
      responseEvent,
      ({ request, response }) => {
        request.scope.set(sessionsAreStored, true);
        return request.scope.get(requestSession)?.store(response);
      },
      { name: 'session', priority: kernelPriority.response.session },
    ),
    kernelListener(finishRequestEvent, ({ request }) => request.scope.get(requestSession)?.release(), {
      name: 'session release',
      priority: 0,
    }),
    kernelListener(
      terminateEvent,
      ({ request, response }) => {
        if (!isStreamedBody(response.body) && response.status !== 101) return;
        if (request.scope.get(requestSession)?.hasLateChanges() !== true) return;
        const logger = log() ?? request.scope.get(requestLogger)?.channel('security');
        logger?.warning(lateChange);
      },
      { name: 'late session changes', priority: 0 },
    ),
  ];
}

const lateChange =
  'A session value was changed after the response had begun, and the change was not stored. Change it with security.session(request) before the controller returns; a stream or a WebSocket can only read it, with security.viewSession(request).';
