import type { SecurityUser } from '../users/security-user.js';

/** Who a request turned out to be, and how sure that is. */
export interface SecurityToken {
  readonly user: SecurityUser;
  /** The firewall that let the user in. */
  readonly firewall: string;
  /** The authenticator that did; `session` never stands here, but what first let the user in. */
  readonly authenticator: string;
  /** `remembered` is somebody who was brought back by a remember-me cookie: enough for greetings, not for passwords. */
  readonly strength: 'full' | 'remembered';
  /** Who is really acting, while a user was switched to. */
  readonly impersonator?: SecurityToken | undefined;
}
