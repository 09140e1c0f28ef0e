/** Who asks, and what they may do: firewalls, logins, sessions, access rules, voters. The kernel's listeners; nothing below knows of it. */
export { createSecurity } from './security/create-security.js';
export type { SecurityOptions } from './security/security-options.js';
export type { Security } from './security/security.js';
export type { FirewallOptions } from './security/firewall/firewall-options.js';
export type { AccessRule } from './security/authorization/access-rules.js';
export { isGranted, type GrantRule } from './security/authorization/is-granted.js';
export { csrfProtected } from './security/firewall/csrf-listener.js';
export { AccessDeniedError } from './security/authorization/access-denied-error.js';
export { PUBLIC_ACCESS } from './security/authorization/authenticated-voter.js';
export type { AccessQuestion, Vote, Voter } from './security/authorization/voter.js';
export { currentUser, optionalUser } from './security/argument-resolvers.js';
export { AuthenticationError, failureMessage } from './security/authentication/authentication-error.js';
export type { Authenticator } from './security/authentication/authenticator.js';
export type { Badge, Passport, PassportContext } from './security/authentication/passport.js';
export { csrfBadge } from './security/authentication/csrf-badge.js';
export { passwordBadge } from './security/authentication/password-badge.js';
export type { SecurityToken } from './security/authentication/security-token.js';
export { createLoginThrottle, type LoginThrottle } from './security/authentication/login-throttle.js';
export { formLogin } from './security/login/form-login.js';
export { jsonLogin } from './security/login/json-login.js';
export { httpBasic } from './security/login/http-basic.js';
export { accessToken } from './security/login/access-token.js';
export { apiKey } from './security/login/api-key.js';
export { clientCertificate } from './security/login/client-certificate.js';
export { createLoginLinks, type LoginLinks } from './security/login/login-links.js';
export { jwtTokens } from './security/login/jwt-tokens.js';
export { listedTokens, opaqueTokens } from './security/login/opaque-tokens.js';
export type { TokenHandler, TokenOwner } from './security/login/token-handler.js';
export type { SecurityUser } from './security/users/security-user.js';
export type { UserProvider } from './security/users/user-provider.js';
export { createMemoryUserProvider } from './security/users/memory-user-provider.js';
export { createChainUserProvider } from './security/users/chain-user-provider.js';
export { createLookupUserProvider } from './security/users/lookup-user-provider.js';
export type { PasswordHasher } from './security/passwords/password-hasher.js';
export { createPasswords, type Passwords } from './security/passwords/passwords.js';
export { createArgon2Hasher } from './security/passwords/argon2-hasher.js';
export { createScryptHasher } from './security/passwords/scrypt-hasher.js';
export type { ExpiringStore, PutOptions, StoredEntry } from './security/stores/expiring-store.js';
export type { StoreOptions, TakenPlace } from './security/stores/expiring-store.js';
export { createMemoryExpiringStore } from './security/stores/memory-expiring-store.js';
export { createPostgresExpiringStore } from './security/stores/postgres-expiring-store.js';
export { createRedisExpiringStore } from './security/stores/redis-expiring-store.js';
export { createSqliteExpiringStore } from './security/stores/sqlite-expiring-store.js';
export type { Session, SessionView } from './security/sessions/session.js';
export {
  checkPassportEvent,
  deauthenticatedEvent,
  loginFailureEvent,
} from './security/state/security-events.js';
export { loginSuccessEvent, logoutEvent, switchUserEvent } from './security/state/security-events.js';
export { securityChannels, type DecisionFacts } from './security/state/security-channels.js';
export type { SessionUse } from './security/sessions/session-usage.js';
export { hashToken, randomToken } from './security/secrets/random-token.js';
