import type { Logger } from '#log';
import type { AccessRule } from './authorization/access-rules.js';
import type { StrategyOptions } from './authorization/decide-access.js';
import type { RoleHierarchy } from './authorization/role-voter.js';
import type { Voter } from './authorization/voter.js';
import type { CsrfOptions } from './csrf/csrf-guard.js';
import type { FirewallOptions } from './firewall/firewall-options.js';
import type { PasswordHasher } from './passwords/password-hasher.js';
import type { SessionOptions } from './sessions/sessions.js';
import type { SecurityUser, UserProvider } from './users/user-provider.js';

/** How a site is guarded. Without firewalls and rules, everyone is admitted as an anonymous visitor. */
export interface SecurityOptions<User extends SecurityUser = SecurityUser> {
  /** The parts of the site, tried in this order. Default: one for all of it. */
  readonly firewalls?: readonly FirewallOptions[];
  /** Who may send which requests; the first rule that fits decides, and a request that none fits is allowed. */
  readonly accessControl?: readonly AccessRule[];
  /** Where users come from, for firewalls that name no provider of their own. */
  readonly provider?: UserProvider<User>;
  /**
   * What cookies are signed with: at least 32 random characters, the same in every process. Of several, the first
   * signs and all verify. Default: one made for this process, which is refused where something outlives the process
   * (a session store other than memory, remember-me).
   */
  readonly secret?: string | readonly string[] | undefined;
  /** Default: in this process's memory. False does without; every firewall is then stateless. */
  readonly sessions?: Partial<SessionOptions> | false;
  readonly roleHierarchy?: RoleHierarchy;
  /** Called after the two built-in ones (degree of authentication, roles). */
  readonly voters?: readonly Voter[];
  readonly decisions?: StrategyOptions;
  /** The first creates new hashes, all verify. Default: argon2id if it can be loaded, and scrypt. */
  readonly hashers?: readonly PasswordHasher[];
  /** False leaves the defence to the application. */
  readonly csrf?: CsrfOptions | false;
  /** Where logins, failures, denials and switches are written, on the channel `security`: `() => app.log`. Default: nowhere. */
  readonly log?: () => Logger;
}
