import type { ScopeKey } from '#scope';
import { createScopeKey } from '#scope';

/** The user of a request, as far as houses other than security need to know. */
export interface RequestUser {
  /** What the person signs in with; unique among users. */
  readonly identifier: string;
  readonly roles: readonly string[];
}

/** Which route answers. */
export interface RouteFacts {
  readonly name: string;
  /** The route's path as declared. */
  readonly path: string;
  /** Null-prototype record of the parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What the firewall found out, never a credential. */
export interface RequestAuthentication {
  readonly firewall: string;
  readonly isSecured: boolean;
  readonly isStateless: boolean;
  readonly isLazy: boolean;
  readonly provider: string;
  readonly entryPoint: string | undefined;
  readonly authenticators: readonly string[];
  readonly attempts: readonly AuthenticationAttempt[];
  /** Absent for strangers, and where a lazy firewall has not looked yet. */
  readonly token:
    | {
        readonly identifier: string;
        readonly roles: readonly string[];
        readonly authenticator: string;
        readonly strength: string;
        readonly impersonator: string | undefined;
      }
    | undefined;
}

/** What one authenticator did with a request. */
export interface AuthenticationAttempt {
  readonly authenticator: string;
  readonly status: 'skipped' | 'success' | 'failure' | 'lazy';
  /** The passport's badges and whether each was met. */
  readonly badges: readonly { readonly name: string; readonly isResolved: boolean }[];
  /** Why it failed, for records. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** The locale of the request (BCP 47), set by the locale step; the default one before that. */
export const requestLocale: ScopeKey<string> = createScopeKey<string>('locale');

/** The user of the request; absent for strangers. A function, since a firewall may be lazy. */
export const requestUser: ScopeKey<() => RequestUser | undefined> =
  createScopeKey<() => RequestUser | undefined>('user');

/** The user that the firewall accepts without credentials: set by test clients, in the scope of their own requests. */
export const requestActingUser: ScopeKey<RequestUser | string> = createScopeKey<RequestUser | string>(
  'acting user',
);

/** What the firewall has found out so far: the same frozen object for all unexamined anonymous requests. */
export const requestAuthentication: ScopeKey<{ readonly authentication: RequestAuthentication }> =
  createScopeKey<{ readonly authentication: RequestAuthentication }>('authentication');

/** The route that matched; absent if none did. */
export const requestRoute: ScopeKey<RouteFacts> = createScopeKey<RouteFacts>('route');
