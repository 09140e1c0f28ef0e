import type { HttpRequest, HttpResponse } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';
import type { LoginThrottle } from '../authentication/login-throttle.js';
import type { AccessDeniedError } from '../authorization/access-denied-error.js';
import type { RememberMe } from './remember-me.js';
import type { UserProvider } from '../users/user-provider.js';
import type { Logout } from './logout-options.js';
import type { SecondFactor } from './second-factor.js';
import type { SwitchUser } from './switch-user-options.js';

/** A firewall made ready: who is let in, and how, in one part of the site. Shared by all requests. */
export interface Firewall {
  readonly name: string;
  readonly matches: (request: HttpRequest) => boolean;
  /** False admits everybody as a stranger; nothing else is looked at. */
  readonly isSecured: boolean;
  readonly isStateless: boolean;
  readonly isLazy: boolean;
  readonly provider: UserProvider;
  readonly authenticators: readonly Authenticator[];
  /** The authenticator that strangers are sent to. */
  readonly entryPoint: Authenticator | undefined;
  readonly rememberMe: RememberMe | undefined;
  readonly secondFactor: SecondFactor | undefined;
  readonly throttle: LoginThrottle | undefined;
  readonly logout: Logout | undefined;
  readonly switchUser: SwitchUser | undefined;
  /** Key of the session value; firewalls with the same one share their logins. */
  readonly sessionKey: string;
  readonly accessDenied:
    | ((
        request: HttpRequest,
        error: AccessDeniedError,
      ) => HttpResponse | undefined | Promise<HttpResponse | undefined>)
    | undefined;
}
