import { AuthenticationError } from './authentication-error.js';
import type { Badge } from './authenticator.js';

/** Creates a badge whose condition is met if `check` does not throw. */
export function createBadge(name: string, check: NonNullable<Badge['check']>): Badge {
  return { name, isResolved: false, check };
}

/**
 * Creates a badge that requires the request to come from a page of this site: a form of another site must not log users
 * in.
 */
export function csrfBadge(): Badge {
  const badge = createBadge('csrf', async ({ request, csrf }) => {
    const verdict = (await csrf?.check(request)) ?? { allowed: true, reason: 'no guard' };
    if (!verdict.allowed) throw new AuthenticationError('csrf', verdict.reason);
  });
  return { ...badge, isPreliminary: true }; // pages of other sites must not use up the attempts of a visitor
}

/** Creates a badge that requires the right password. Stores a renewed hash if the provider supports it. */
export function passwordBadge(password: string): Badge {
  return createBadge('password', async ({ user, passwords, provider }) => {
    const { valid, renewed } = await passwords.check(user?.passwordHash, password);
    if (user === undefined) throw new AuthenticationError('credentials', 'No such user.');
    if (!valid) throw new AuthenticationError('credentials', 'Wrong password.');
    if (renewed !== undefined) await provider.savePasswordHash?.(user, renewed);
  });
}
