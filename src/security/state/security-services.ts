import type { Dispatcher } from '#events';
import type { HttpRequest } from '#http';
import type { Logger } from '#log';
import type { SecurityToken } from '../authentication/authenticator.js';
import type { AccessDecider } from '../authorization/decide-access.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { CsrfGuard } from '../csrf/csrf-guard.js';
import type { Firewall } from './firewall.js';
import type { Passwords } from '../passwords/passwords.js';
import type { Signer } from '../secrets/signer.js';
import type { Sessions } from '../sessions/sessions.js';

/** What the steps of security share. Holds no request state. */
export interface SecurityServices {
  readonly passwords: Passwords;
  readonly decider: AccessDecider;
  readonly sessions: Sessions | undefined;
  /** The session store, where all processes share it. */
  readonly store: ExpiringStore | undefined;
  readonly signer: Signer;
  readonly csrf: CsrfGuard | undefined;
  /** The application's dispatcher, once the listeners were added to it. */
  readonly events: Pick<Dispatcher, 'dispatch'>;
  readonly audit: Pick<Logger, 'info' | 'notice' | 'warning'>;
  /** Makes the session remember a token, under a new id. Nothing happens where the firewall is stateless. */
  keepInSession(request: HttpRequest, firewall: Firewall, token: SecurityToken): Promise<void>;
}
