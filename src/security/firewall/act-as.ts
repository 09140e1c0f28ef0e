import type { RequestUser } from '#http';
import { securityErrors } from '../errors/error-codes.js';
import type { RequestSecurity } from '../state/request-security.js';

/**
 * Takes a user as found, as a test client wants it. Whom the provider knows is loaded from there, so that the user
 * belongs to this request like any other. Throws `SECURITY_ACTING_USER_UNKNOWN` for a name that nobody has.
 */
export async function actAs(security: RequestSecurity, acting: RequestUser | string): Promise<undefined> {
  const { firewall } = security;
  const identifier = typeof acting === 'string' ? acting : acting.identifier;
  const user = (await firewall.provider.findUser(identifier)) ?? acting;
  if (typeof user === 'string')
    throw securityErrors.create('SECURITY_ACTING_USER_UNKNOWN', { user, firewall: firewall.name });
  security.token = { user, firewall: firewall.name, authenticator: 'test client', strength: 'full' };
  return undefined;
}
