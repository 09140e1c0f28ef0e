import type { CodePosition } from '#core/errors';
import type { RequestAuthentication } from '#core/http';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';

/** The firewall, the user, and the access decisions. No key contains “session”, because its value would be redacted. */
export interface SecuritySection {
  /** Null if no firewall handled the request. */
  readonly firewall: SecurityFirewall | null;
  /** Null for anonymous visitors. */
  readonly user: RecordedUser | null;
  readonly decisions: readonly SecurityDecision[];
  /** Session values read or written, with locations; uses by the security layer itself have no file. */
  readonly uses: readonly RecordedSessionUse[];
  /** Number of omitted decisions and session uses. */
  readonly more: number;
}

type Found = RequestAuthentication;

export interface SecurityFirewall extends Pick<
  Found,
  'isSecured' | 'isStateless' | 'provider' | 'authenticators'
> {
  readonly name: string;
  readonly entryPoint: string;
  readonly attempts: readonly (Pick<Found['attempts'][number], 'authenticator' | 'status' | 'detail'> & {
    readonly durationMs: number;
    /** For example `csrf token: met`. */
    readonly badges: readonly string[];
  })[];
}

export interface RecordedUser extends Pick<
  NonNullable<Found['token']>,
  'identifier' | 'roles' | 'authenticator' | 'strength'
> {
  /** Roles inherited through other roles; absent if there are none. */
  readonly inheritedRoles?: readonly string[];
  /** The user impersonating this one; empty if there is none. */
  readonly impersonator: string;
}

export interface SecurityDecision {
  readonly granted: boolean;
  readonly attribute: string;
  readonly subject: string;
  readonly strategy: string;
  readonly votes: readonly { readonly voter: string; readonly verdict: string; readonly reason: string }[];
  /** The check's origin: `access rule 1 (path /admin)`, `isGranted of ShopController.show`. Absent if unknown. */
  readonly by?: string;
  /** The check's location in the application; absent for declared requirements. */
  readonly location?: CodePosition & { readonly name: string };
}

export interface RecordedSessionUse extends CodePosition {
  readonly operation: string;
  readonly key: string;
  readonly count: number;
  readonly name: string;
}

/** The raw data is the section, or its JSON. */
export const securityDefinition: SectionDefinition = defineSection<SecuritySection | string, SecuritySection>(
  {
    id: 'security',
    clean(taken, redactor) {
      const section = typeof taken === 'string' ? (JSON.parse(taken) as SecuritySection) : taken; // written by the security collector
      // Badges name tokens and their status, not secrets.
      return cleanTexts(section, redactor, ['badges']);
    },
  },
);
