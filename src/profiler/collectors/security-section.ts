/** The `security` section of a record: which firewall looked at the request, who the user is, and what was decided. */
export interface SecuritySection {
  /** Null where no firewall spoke. */
  readonly firewall: SecurityFirewall | null;
  /** Null for strangers, and where a lazy firewall never had to look: `isUserLoaded` tells which. */
  readonly user: SecurityUser | null;
  /** False where nothing asked for the user, so that a lazy firewall did not look who it is. */
  readonly isUserLoaded: boolean;
  readonly decisions: readonly SecurityDecision[];
  /** Session values that were read or written. (A key with “session” in its name would be redacted.) */
  readonly uses: readonly SessionUse[];
  /** Decisions and session uses that were left out. */
  readonly more: number;
}

export interface SecurityFirewall {
  readonly name: string;
  readonly isSecured: boolean;
  readonly isStateless: boolean;
  readonly isLazy: boolean;
  readonly provider: string;
  readonly entryPoint: string;
  readonly authenticators: readonly string[];
  readonly attempts: readonly AuthenticationAttempt[];
}

export interface AuthenticationAttempt {
  readonly authenticator: string;
  readonly status: string;
  readonly detail: string;
  readonly durationMs: number;
  /** `csrf token: met`. */
  readonly badges: readonly string[];
}

export interface SecurityUser {
  readonly identifier: string;
  readonly roles: readonly string[];
  readonly authenticator: string;
  readonly strength: string;
  /** Who acts as this user; empty where nobody does. */
  readonly impersonator: string;
}

export interface SecurityDecision {
  readonly granted: boolean;
  readonly attribute: string;
  readonly subject: string;
  readonly strategy: string;
  readonly votes: readonly { readonly voter: string; readonly verdict: string; readonly reason: string }[];
}

export interface SessionUse {
  readonly operation: string;
  readonly key: string;
  /** The caller, as V8 prints it. */
  readonly caller: string;
  readonly count: number;
}
