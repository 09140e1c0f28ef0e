import { type ScopeKey, createScopeKey } from '#core/scope';

/** A request's user: the part that modules other than security need. */
export interface RequestUser {
  /** The name that the person signs in with; unique among users. */
  readonly identifier: string;
  readonly roles: readonly string[];
}

/** The route that answers a request. */
export interface RouteFacts {
  readonly name: string;
  /** The route's path as declared. */
  readonly path: string;
  /** Null-prototype record of the parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The firewall's result. Never contains credentials. */
export interface RequestAuthentication {
  readonly firewall: string;
  readonly isSecured: boolean;
  readonly isStateless: boolean;
  readonly provider: string;
  readonly entryPoint: string | undefined;
  readonly authenticators: readonly string[];
  readonly attempts: readonly AuthenticationAttempt[];
  /** Absent for anonymous users. */
  readonly token:
    | {
        readonly identifier: string;
        readonly roles: readonly string[];
        /** Roles that the user has indirectly (`roleHierarchy`); absent if there are none. */
        readonly inheritedRoles?: readonly string[];
        readonly authenticator: string;
        readonly strength: string;
        readonly impersonator: string | undefined;
      }
    | undefined;
}

/** One authenticator's result. */
export interface AuthenticationAttempt {
  readonly authenticator: string;
  readonly status: 'skipped' | 'success' | 'failure';
  /** The passport's badges and whether each was met. */
  readonly badges: readonly { readonly name: string; readonly isResolved: boolean }[];
  /** Why it failed, for records. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** The request's locale (BCP 47). Until the locale step has run, it is the default locale. */
export const requestLocale: ScopeKey<string> = createScopeKey<string>('locale');

/** The request's user; undefined for anonymous users. A function, because the user may log in later. */
export const requestUser: ScopeKey<() => RequestUser | undefined> =
  createScopeKey<() => RequestUser | undefined>('user');

/** Why a request was refused without an error, such as a redirect back to the login; it is logged. */
export const requestRefusal: ScopeKey<Error> = createScopeKey<Error>('refusal');

/** The user that the firewall accepts without credentials. Test clients set it in their own requests' scopes. */
export const requestActingUser: ScopeKey<RequestUser | string> = createScopeKey<RequestUser | string>(
  'acting user',
);

/** The firewall's current result. All anonymous requests that were not examined share one frozen object. */
export const requestAuthentication: ScopeKey<{ readonly authentication: RequestAuthentication }> =
  createScopeKey<{ readonly authentication: RequestAuthentication }>('authentication');

/** The route that matched; absent if none did. */
export const requestRoute: ScopeKey<RouteFacts> = createScopeKey<RouteFacts>('route');

/** Set for an application's requests in debug: mistakes that production tolerates are then errors. */
export const requestDebug: ScopeKey<true> = createScopeKey<true>('debug');

/** Values that JSON lost outside debug, such as `a promise at .user`. */
export interface LostInJson {
  /** Sent as `{}`. */
  readonly lost: string[];
  /** Sent as null. */
  readonly nulled: string[];
}

/** Only recorded requests have the lists. */
export const lostInJson: ScopeKey<LostInJson> = createScopeKey<LostInJson>('lost in JSON');
