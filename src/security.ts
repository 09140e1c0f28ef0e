/** Firewalls, logins, sessions, and access decisions. */
export * from './framework/security.js';
