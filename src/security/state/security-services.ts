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

/** Services shared by all steps of security. Contains no request state. */
export interface SecurityServices {
  readonly passwords: Passwords;
  readonly decider: AccessDecider;
  readonly sessions: Sessions | undefined;
  /** The session store if all processes share it. */
  readonly store: ExpiringStore | undefined;
  readonly signer: Signer;
  readonly csrf: CsrfGuard | undefined;
  /** Dispatches to the application's dispatcher once the listeners have been added to it. */
  readonly events: Pick<Dispatcher, 'dispatch'>;
  readonly audit: Pick<Logger, 'info' | 'notice' | 'warning'>;
  /** Stores a token in the session and changes the session id. Does nothing if the firewall is stateless. */
  saveToSession(request: HttpRequest, firewall: Firewall, token: SecurityToken): Promise<void>;
}
