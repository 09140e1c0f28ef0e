import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';

const table = {
  SECURITY_WEAK_SECRET: {
    message:
      'The secret for {what} has only {length} characters; anyone who guesses it can forge signatures.',
    fix: "Use at least 32 random characters: node -e \"console.log(require('crypto').randomBytes(32).toString('hex'))\".",
  },
  SECURITY_ORIGIN_UNKNOWN: {
    message:
      'The login with {name} cannot determine its redirect URI: TRUSTED_HOSTS is empty, so any client could choose the host.',
    fix: 'Set TRUSTED_HOSTS to the host names of your site, or pass redirectUri to createOAuthLogin().',
  },
  SECURITY_SECRET_MISSING: {
    message: '{what} needs a secret for signing, but createSecurity() has none.',
    fix: 'Pass secret: process.env.APP_SECRET to createSecurity().',
  },
  SECURITY_PASSWORD_TOO_LONG: {
    message: 'The password has {length} bytes, which exceeds the limit of {limit}.',
    fix: 'Reject longer passwords in the form; hashing them would only waste CPU time.',
  },
  SECURITY_HASHER_UNAVAILABLE: {
    message: 'Passwords cannot be hashed or verified with {hasher}: its package could not be loaded.',
    fix: 'Run "npm install @node-rs/argon2", or pass other hashers to createSecurity() and have users set new passwords.',
  },
  SECURITY_SESSION_VALUE: {
    message: 'The session value "{key}" cannot be stored as JSON.',
    fix: 'Store plain data that survives a round trip through JSON.',
  },
  SECURITY_SESSION_TOO_BIG: {
    message: 'The session would take {bytes} bytes; the limit is {limit}.',
    fix: 'Keep ids in the session and the data itself in the database.',
  },
  SECURITY_SESSION_CLOSED: {
    message: 'The session cannot be changed: {reason}.',
    fix: 'Change it with security.session(request) before the controller returns. Streams, event streams, WebSocket handlers, terminate listeners and work that is not awaited can only read it, with security.viewSession(request).',
  },
  SECURITY_SESSION_LOCK_LOST: {
    message:
      'The session was locked for more than {milliseconds} ms and another request took it over; nothing was stored.',
    fix: 'Raise sessions.lockMilliseconds, or do slow work without an open session.',
  },
  SECURITY_SESSION_OWN_LOCK: {
    message:
      'The request is waiting for itself: {holder} has the session open and is waiting for this request, which opens it too.',
    fix: 'In one of them, read the session with security.viewSession(request). Or omit the cookie from the inner request, or call its function directly.',
  },
  SECURITY_STORE_SILENT: {
    message: 'The {name} security store did not answer within {milliseconds} ms.',
    fix: 'Check that its server is reachable. sessions.storeTimeoutMilliseconds sets the limit.',
  },
  SECURITY_STORE_FAILED: {
    message: 'The {name} security store failed: {reason}',
    fix: 'Check that its server is reachable and that this process has write access. The cause has the details.',
  },
  SECURITY_STORE_ANSWER: {
    message: 'The {name} security store answered {method} with {given}.',
    fix: 'Correct the store: {method} must return {takes}.',
  },
  SECURITY_FIREWALL_STATELESS: {
    message: 'The firewall "{firewall}" has no session: {reason}.',
    fix: 'Use a firewall with sessions for this path (it also refuses cross-site requests), or keep the data elsewhere.',
  },
  SECURITY_NO_SESSIONS: {
    message: '{what} requires sessions, but createSecurity() was called with `sessions: false`.',
    fix: 'Remove sessions: false from the options, or make the firewall stateless.',
  },
  SECURITY_ACTING_USER_UNKNOWN: {
    message: 'A test acts as "{user}", but the firewall "{firewall}" has no such user.',
    fix: 'Create that user first, or pass actingAs an object with identifier and roles.',
  },
  SECURITY_ENTRY_POINT: {
    message: 'The firewall "{firewall}" has several authenticators that can start a login: {names}.',
    fix: 'Choose one for anonymous visitors, such as entryPoint: "{first}".',
  },
  SECURITY_NO_PROVIDER: {
    message: 'The firewall "{firewall}" has authenticators but no user provider.',
    fix: 'Pass provider: createMemoryUserProvider([...]) to the firewall or to createSecurity().',
  },
  SECURITY_SUBJECT_MISSING: {
    message:
      'isGranted on {controller} refers to the subject "{subject}", but the controller has no such argument.',
    fix: 'Use one of: {names}.',
  },
  SECURITY_NO_FIREWALL: {
    message: 'The security state of a request was read before the firewall ran.',
    fix: 'Read it in the controller, or in a listener with a priority below 8.',
  },
  SECURITY_COOKIE_TOO_BIG: {
    message: 'The signed cookie "{name}" would take {bytes} bytes; browsers keep at most {limit}.',
    fix: 'Keep an id in the cookie and the data in the session or the database.',
  },
  SECURITY_OPENID_CLIENT_UNAVAILABLE: {
    message: 'createOAuthLogin() requires the package openid-client, which could not be loaded.',
    fix: 'Run "npm install openid-client".',
  },
  SECURITY_NEVER_APPLIES: {
    message: '{what} can never apply: {reason}.',
    fix: 'The first match decides: put the narrower one first, or remove it.',
  },
  SECURITY_BAD_OPTION: { message: 'The {option} option of {what} is {problem}.' },
} as const;

export const securityErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

export function badOption(what: string, option: string, problem: string): Error {
  return securityErrors.create('SECURITY_BAD_OPTION', { what, option, problem });
}
