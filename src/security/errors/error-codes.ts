import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  SECURITY_WEAK_SECRET: {
    message: 'The secret of {what} has {length} characters; a guess of it forges every signature.',
    fix: "Give at least 32 random characters: node -e \"console.log(require('crypto').randomBytes(32).toString('hex'))\".",
  },
  SECURITY_SECRET_MISSING: {
    message: '{what} needs a secret to sign with, and createSecurity was given none.',
    fix: 'Pass secret: process.env.APP_SECRET to createSecurity.',
  },
  SECURITY_PASSWORD_TOO_LONG: {
    message: 'A password of {length} bytes is over the limit of {limit}.',
    fix: 'Refuse longer ones in the form; hashing them would only keep the processor busy.',
  },
  SECURITY_HASHER_UNAVAILABLE: {
    message:
      'Passwords hashed by {hasher} can be neither made nor checked: its package cannot be loaded here.',
    fix: 'Run "npm install @node-rs/argon2", or give createSecurity other hashers and let the users set new passwords.',
  },
  SECURITY_STORE_NAME: {
    message: '"{name}" cannot name a table or key of a store.',
    fix: 'Use letters, digits and underscores, beginning with a letter, at most 40 of them.',
  },
  SECURITY_SESSION_VALUE: {
    message: 'The session value "{key}" cannot be kept: {problem}.',
    fix: 'Keep plain data: what JSON.stringify writes and JSON.parse reads back.',
  },
  SECURITY_SESSION_TOO_BIG: {
    message: 'The session would take {bytes} bytes; the limit is {limit}.',
    fix: 'Keep ids in the session and the data itself in the database.',
  },
  SECURITY_SESSION_CLOSED: {
    message: 'The session was written to after the response event, when it had been stored.',
    fix: 'Change the session before the controller returns; a streamed body is too late.',
  },
  SECURITY_SESSION_LOCK_LOST: {
    message:
      'The session was locked for longer than {milliseconds} ms and another request took it over; nothing was stored.',
    fix: 'Raise sessions.lockMilliseconds, or do the long work without an open session.',
  },
  SECURITY_NO_SESSIONS: {
    message: '{what} needs sessions, and createSecurity was called with `sessions: false`.',
    fix: 'Take sessions: false out of the options, or make the firewall stateless.',
  },
  SECURITY_NO_CSRF: {
    message: 'A CSRF token was asked for, and createSecurity was called with `csrf: false`.',
    fix: 'Take csrf: false out of the options, or the token out of the form.',
  },
  SECURITY_USER_NOT_LOADED: {
    message: 'The firewall "{firewall}" is lazy and the user of this request has not been asked for yet.',
    fix: 'Await security.user(request), take the user as an argument (currentUser()), or set lazy: false.',
  },
  SECURITY_ACTING_USER_UNKNOWN: {
    message: 'A test acts as "{user}", whom the firewall "{firewall}" does not know.',
    fix: 'Create that user first, or give actingAs an object with identifier and roles.',
  },
  SECURITY_BADGE_UNRESOLVED: {
    message: 'The passport of {authenticator} carries the badge "{badge}", and nothing resolved it.',
    fix: 'Give the badge a check, or resolve it in a listener of checkPassportEvent.',
  },
  SECURITY_ENTRY_POINT: {
    message: 'The firewall "{firewall}" has several authenticators that can ask for a login: {names}.',
    fix: 'Name the one that strangers are sent to: entryPoint: "{first}".',
  },
  SECURITY_UNKNOWN_ENTRY_POINT: {
    message: 'The entry point "{name}" of the firewall "{firewall}" is none of its authenticators.',
    fix: 'Name one of: {names}.',
  },
  SECURITY_DUPLICATE_FIREWALL: {
    message: 'Two firewalls are called "{name}".',
    fix: 'Give each its own name: sessions and records are filed under it.',
  },
  SECURITY_NO_PROVIDER: {
    message: 'The firewall "{firewall}" has authenticators and no user provider.',
    fix: 'Pass provider: createMemoryUserProvider([...]) to it or to createSecurity.',
  },
  SECURITY_BAD_PATTERN: {
    message: '"{pattern}" is no path pattern: {problem}.',
    fix: 'Write "/admin" (that path and all below it), one placeholder for a whole segment, or a regular expression.',
  },
  SECURITY_SUBJECT_MISSING: {
    message: 'isGranted on {controller} names the subject "{subject}", and it has no such argument.',
    fix: 'Name one of: {names}.',
  },
  SECURITY_NO_FIREWALL: {
    message: 'The security of a request was asked for before the firewall ran.',
    fix: 'Ask from a listener with a priority below 8, or from the controller.',
  },
  SECURITY_COOKIE_TOO_BIG: {
    message: 'The signed cookie "{name}" would take {bytes} bytes; browsers keep {limit}.',
    fix: 'Keep an id in the cookie and the data in the session or the database.',
  },
  SECURITY_TOO_MANY_API_KEYS: {
    message: 'The owner has {limit} API keys, which is as many as one may have.',
    fix: 'Revoke keys that are no longer used.',
  },
  SECURITY_OPENID_CLIENT_UNAVAILABLE: {
    message: 'createOAuthLogin needs the package openid-client, and it cannot be loaded.',
    fix: 'Run "npm install openid-client".',
  },
  SECURITY_BAD_OPTION: { message: 'The option {option} of {what} is {problem}.' },
} as const;

/** What can be wrong with the way security is set up or used. */
export const securityErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
