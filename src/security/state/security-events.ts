import { type EventType, defineEvent } from '#events';
import type { HttpRequest, HttpResponse } from '#http';
import type { AuthenticationError } from '../authentication/authentication-error.js';
import type { Passport, SecurityToken } from '../authentication/authenticator.js';
import type { SecurityUser } from '../users/user-provider.js';

/** A passport is about to be judged. Listeners may resolve badges, or throw an `AuthenticationError`. */
export interface CheckPassportEvent {
  readonly request: HttpRequest;
  readonly firewall: string;
  readonly passport: Passport;
  readonly user: SecurityUser | undefined;
}

/** Someone is let in. A response set here is the answer. */
export interface LoginSuccessEvent {
  readonly request: HttpRequest;
  readonly token: SecurityToken;
  /** False where every request proves it anew (access tokens, HTTP basic). */
  readonly isInteractive: boolean;
  response: HttpResponse | undefined;
}

/** Someone was not believed. A response set here is the answer. */
export interface LoginFailureEvent {
  readonly request: HttpRequest;
  readonly firewall: string;
  readonly authenticator: string;
  /** What the client said it was; anything. */
  readonly identifier: string | undefined;
  readonly error: AuthenticationError;
  response: HttpResponse | undefined;
}

/** Someone logs out. */
export interface LogoutEvent {
  readonly request: HttpRequest;
  /** Undefined where a stranger came to the logout path. */
  readonly token: SecurityToken | undefined;
  response: HttpResponse;
}

/** A session's user is no longer let in: removed, disabled, or with a new password. */
export interface DeauthenticatedEvent {
  readonly request: HttpRequest;
  readonly firewall: string;
  readonly identifier: string;
  readonly reason: string;
}

/** A user starts (or stops) acting as another user. */
export interface SwitchUserEvent {
  readonly request: HttpRequest;
  readonly from: SecurityToken;
  readonly to: SecurityToken;
}

export const checkPassportEvent: EventType<CheckPassportEvent> =
  defineEvent<CheckPassportEvent>('security.check_passport');
export const loginSuccessEvent: EventType<LoginSuccessEvent> =
  defineEvent<LoginSuccessEvent>('security.login_success');
export const loginFailureEvent: EventType<LoginFailureEvent> =
  defineEvent<LoginFailureEvent>('security.login_failure');
export const logoutEvent: EventType<LogoutEvent> = defineEvent<LogoutEvent>('security.logout');
export const deauthenticatedEvent: EventType<DeauthenticatedEvent> =
  defineEvent<DeauthenticatedEvent>('security.deauthenticated');
export const switchUserEvent: EventType<SwitchUserEvent> =
  defineEvent<SwitchUserEvent>('security.switch_user');
