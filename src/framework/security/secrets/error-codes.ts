import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';

const table = {
  SECURITY_WEAK_SECRET: {
    message: 'The secret of {what} has {length} characters; anyone who guesses it can forge every signature.',
    fix: "Use at least 32 random characters: node -e \"console.log(require('crypto').randomBytes(32).toString('hex'))\".",
  },
  SECURITY_ORIGIN_UNKNOWN: {
    message:
      'The login at {name} cannot name its redirect URI: TRUSTED_HOSTS is empty, so any client chooses the host.',
    fix: 'Set TRUSTED_HOSTS to the names of your site, or pass redirectUri to createOAuthLogin.',
  },
  SECURITY_SECRET_MISSING: {
    message: '{what} needs a secret to sign with, but createSecurity has none.',
    fix: 'Pass secret: process.env.APP_SECRET to createSecurity.',
  },
  SECURITY_PASSWORD_TOO_LONG: {
    message: 'A password of {length} bytes is over the limit of {limit}.',
    fix: 'Reject longer ones in the form; hashing them would only waste processor time.',
  },
  SECURITY_HASHER_UNAVAILABLE: {
    message: 'Passwords cannot be hashed or verified with {hasher}: its package cannot be loaded.',
    fix: 'Run "npm install @node-rs/argon2", or pass other hashers to createSecurity and have the users set new passwords.',
  },
  SECURITY_SESSION_VALUE: {
    message: 'The session value "{key}" cannot be stored as JSON.',
    fix: 'Store plain data that survives JSON.stringify and JSON.parse.',
  },
  SECURITY_SESSION_TOO_BIG: {
    message: 'The session would take {bytes} bytes; the limit is {limit}.',
    fix: 'Keep ids in the session and the data itself in the database.',
  },
  SECURITY_SESSION_CLOSED: {
    message: 'The session cannot be changed: {reason}.',
    fix: 'Change it with security.session(request) before the controller returns. A stream, an event stream, a WebSocket handler, a terminate listener and work that is not awaited can only read it: security.viewSession(request).',
  },
  SECURITY_SESSION_LOCK_LOST: {
    message:
      'The session was locked for longer than {milliseconds} ms and another request took it over; nothing was stored.',
    fix: 'Raise sessions.lockMilliseconds, or do the long work without an open session.',
  },
  SECURITY_SESSION_OWN_LOCK: {
    message:
      'The request waits for itself: {holder} has opened the session and waits for this request, which opens it too.',
    fix: 'Read with security.viewSession(request) in one of them, leave the cookie out of the inner request, or call its function directly.',
  },
  SECURITY_STORE_SILENT: {
    message: 'The {name} store of security did not answer within {milliseconds} ms.',
    fix: 'Check that its server can be reached. sessions.storeTimeoutMilliseconds sets the limit.',
  },
  SECURITY_STORE_FAILED: {
    message: 'The {name} store of security failed: {reason}',
    fix: 'Check that its server can be reached and that this process may write there; the cause has the details.',
  },
  SECURITY_FIREWALL_STATELESS: {
    message: 'The firewall "{firewall}" has no session: {reason}.',
    fix: 'Give this path a firewall with sessions, which also refuses requests of other sites, or keep the data elsewhere.',
  },
  SECURITY_NO_SESSIONS: {
    message: '{what} needs sessions, but createSecurity was called with `sessions: false`.',
    fix: 'Remove sessions: false from the options, or make the firewall stateless.',
  },
  SECURITY_ACTING_USER_UNKNOWN: {
    message: 'A test acts as "{user}", but the firewall "{firewall}" has no such user.',
    fix: 'Create that user first, or pass actingAs an object with identifier and roles.',
  },
  SECURITY_ENTRY_POINT: {
    message: 'The firewall "{firewall}" has several authenticators that can start a login: {names}.',
    fix: 'Choose the one for anonymous visitors: entryPoint: "{first}".',
  },
  SECURITY_NO_PROVIDER: {
    message: 'The firewall "{firewall}" has authenticators but no user provider.',
    fix: 'Pass provider: createMemoryUserProvider([...]) to it or to createSecurity.',
  },
  SECURITY_SUBJECT_MISSING: {
    message:
      'isGranted on {controller} names the subject "{subject}", but the controller has no such argument.',
    fix: 'Use one of: {names}.',
  },
  SECURITY_NO_FIREWALL: {
    message: 'The security of a request was requested before the firewall ran.',
    fix: 'Use it in a listener with a priority below 8, or in the controller.',
  },
  SECURITY_COOKIE_TOO_BIG: {
    message: 'The signed cookie "{name}" would take {bytes} bytes; browsers keep {limit}.',
    fix: 'Keep an id in the cookie and the data in the session or the database.',
  },
  SECURITY_OPENID_CLIENT_UNAVAILABLE: {
    message: 'createOAuthLogin needs the package openid-client, which cannot be loaded.',
    fix: 'Run "npm install openid-client".',
  },
  SECURITY_NEVER_APPLIES: {
    message: '{what} can never apply: {reason}.',
    fix: 'The first that fits decides: put the narrower one first, or remove it.',
  },
  SECURITY_BAD_OPTION: { message: 'The option {option} of {what} is {problem}.' },
} as const;

export const securityErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

export function badOption(what: string, option: string, problem: string): Error {
  return securityErrors.create('SECURITY_BAD_OPTION', { what, option, problem });
}
