import { AuthenticationError } from './authentication-error.js';
import type { Badge } from './authenticator.js';

/** A condition that `check` decides. */
export function createBadge(name: string, check: NonNullable<Badge['check']>): Badge {
  return { name, isResolved: false, check };
}

/** The request has to come from a page of this site: another site's form must not log anyone in. */
export function csrfBadge(): Badge {
  const badge = createBadge('csrf', async ({ request, csrf }) => {
    const verdict = (await csrf?.check(request)) ?? { allowed: true, reason: 'no guard' };
    if (!verdict.allowed) throw new AuthenticationError('csrf', verdict.reason);
  });
  return { ...badge, isPreliminary: true }; // a stranger's page must not use up the visitor's tries
}

/** The password has to be right. A better hash is stored on the way, where the provider can. */
export function passwordBadge(password: string): Badge {
  return createBadge('password', async ({ user, passwords, provider }) => {
    const { valid, renewed } = await passwords.check(user?.passwordHash, password);
    if (user === undefined) throw new AuthenticationError('credentials', 'No such user.');
    if (!valid) throw new AuthenticationError('credentials', 'Wrong password.');
    if (renewed !== undefined) await provider.savePasswordHash?.(user, renewed);
  });
}
