import { type EventType, defineEvent } from '#events';
import type { HttpRequest, HttpResponse } from '#http';
import type { AuthenticationError, Passport, SecurityToken } from '../authentication/authenticator.js';
import type { SecurityUser } from '../users/user-provider.js';

/** Dispatched before a passport is checked. Listeners may resolve badges, or throw an `AuthenticationError`. */
export interface CheckPassportEvent {
  readonly request: HttpRequest;
  readonly firewall: string;
  readonly passport: Passport;
  readonly user: SecurityUser | undefined;
}

/** Dispatched after a successful login. A listener may set the response. */
export interface LoginSuccessEvent {
  readonly request: HttpRequest;
  readonly token: SecurityToken;
  /** False if every request carries credentials (access tokens, HTTP basic). */
  readonly isInteractive: boolean;
  response: HttpResponse | undefined;
}

/** Dispatched after a failed login. A listener may set the response. */
export interface LoginFailureEvent {
  readonly request: HttpRequest;
  readonly firewall: string;
  readonly authenticator: string;
  /** The identifier that the client has sent; any text. */
  readonly identifier: string | undefined;
  readonly error: AuthenticationError;
  response: HttpResponse | undefined;
}

/** Dispatched when a user logs out. */
export interface LogoutEvent {
  readonly request: HttpRequest;
  /** Undefined if the request to the logout path was anonymous. */
  readonly token: SecurityToken | undefined;
  response: HttpResponse;
}

/** Dispatched when the user of a session is no longer admitted: the user was removed, disabled, or has a new password. */
export interface DeauthenticatedEvent {
  readonly request: HttpRequest;
  readonly firewall: string;
  readonly identifier: string;
  readonly reason: string;
}

/** Dispatched when a user starts or stops acting as another user. */
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
