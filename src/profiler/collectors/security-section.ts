import type { OutputOf } from '../form/form.js';

/** How the `security` section is written. A key with “session” in its name would be redacted where sections are shown. */
export const securityForm = {
  // Null where no firewall spoke.
  firewall: [
    '?',
    {
      name: 'word',
      isSecured: 'flag',
      isStateless: 'flag',
      isLazy: 'flag',
      provider: 'word',
      entryPoint: 'word',
      authenticators: ['word'],
      attempts: [
        {
          authenticator: 'word',
          status: 'word',
          detail: 'text',
          durationMs: 'ms',
          // `csrf token: met`.
          badges: ['word'],
        },
      ],
    },
  ],
  // Null for strangers, and where a lazy firewall never had to look: `isUserLoaded` says which.
  user: [
    '?',
    {
      identifier: 'text',
      roles: ['word'],
      authenticator: 'word',
      strength: 'word',
      // Who acts as this user; empty if no one does.
      impersonator: 'text',
    },
  ],
  // False if nothing needed the user, so that a lazy firewall did not determine it.
  isUserLoaded: 'flag',
  decisions: [
    {
      granted: 'flag',
      attribute: 'word',
      subject: 'text',
      strategy: 'word',
      votes: [{ voter: 'word', verdict: 'word', reason: 'text' }],
    },
  ],
  // Session values that were read or written; the caller as V8 prints it, and its place.
  uses: [
    {
      operation: 'word',
      key: 'word',
      caller: 'word',
      count: 'count',
      file: 'word',
      line: 'count',
      column: 'count',
    },
  ],
  // Decisions and session uses that were left out.
  more: 'count',
} as const;

/** The `security` section of a record: which firewall looked at the request, who the user is, and what was decided. */
export type SecuritySection = OutputOf<typeof securityForm>;
export type SecurityFirewall = NonNullable<SecuritySection['firewall']>;
export type RecordedUser = NonNullable<SecuritySection['user']>;
export type SecurityDecision = SecuritySection['decisions'][number];
export type RecordedSessionUse = SecuritySection['uses'][number];
