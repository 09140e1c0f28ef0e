import { createRedactor, type Redactor } from '#dump';
import { type HttpRequest, type RequestAuthentication, requestAuthentication, requestUser } from '#http';
import { definePart } from '../form/define-part.js';
import {
  type ChannelMessage,
  createChannelCollector,
  type ListeningCollector,
} from './create-channel-collector.js';
import { messagesOf, messageText } from './message-reader.js';
import type { OutputOf } from '../form/form.js';

/** Form of the `security` section. No key contains “session”, since it would be redacted when the section is shown. */
const form = {
  // Null if no firewall handled the request.
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
          // For example `csrf token: met`.
          badges: ['word'],
        },
      ],
    },
  ],
  // Null for anonymous visitors, and if a lazy firewall did not determine the user (see `isUserLoaded`).
  user: [
    '?',
    {
      identifier: 'text',
      roles: ['word'],
      authenticator: 'word',
      strength: 'word',
      // The user who impersonates this one; empty if there is none.
      impersonator: 'text',
    },
  ],
  // False if a lazy firewall did not determine the user, because nothing needed it.
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
  // Session values that were read or written, with the caller as printed by V8 and its place.
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
  // Number of omitted decisions and session uses.
  more: 'count',
} as const;

/** The `security` section of a record: the firewall that handled the request, the user, and the access decisions. */
export type SecuritySection = OutputOf<typeof form>;
export type SecurityFirewall = NonNullable<SecuritySection['firewall']>;
export type RecordedUser = NonNullable<SecuritySection['user']>;
export type SecurityDecision = SecuritySection['decisions'][number];
export type RecordedSessionUse = SecuritySection['uses'][number];

/** Limits per request: decisions, characters of all decisions, and session uses. */
const limits = { decisions: 100, decisionText: 100_000, uses: 50 } as const;

interface Facts {
  readonly decisions: SecurityDecision[];
  readonly uses: Map<string, RecordedSessionUse>;
  /** Characters of the decisions so far. */
  weight: number;
  more: number;
}

const noFacts = (): Facts => ({ decisions: [], uses: new Map(), weight: 0, more: 0 });

/**
 * Creates the `security` collector, which records the result of the firewall, and what voters and the session publish on
 * their channels. It never records credentials.
 */
export function createSecurityCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): ListeningCollector {
  return createChannelCollector<Facts>({
    name: 'security',
    part: definePart(form),
    begin: noFacts,
    channels: {
      'lookback:security:decision': (facts, message) => addDecision(facts, message, redactor),
      'lookback:security:session': (facts, message) => addSessionUse(facts, message, redactor),
    },
    section: (facts, { request }): SecuritySection | undefined => {
      const found = request.scope.getOwn(requestAuthentication)?.authentication;
      if (facts === undefined && found === undefined) return undefined;
      const { decisions, uses, more } = facts ?? noFacts();
      return {
        firewall: found === undefined ? null : readFirewall(found, redactor),
        user: found === undefined ? null : readUser(found, redactor),
        isUserLoaded: found?.isLazy !== true || isLoaded(request),
        decisions,
        uses: [...uses.values()],
        more,
      };
    },
  });
}

/** Returns whether the user has been determined, without making the firewall determine it. */
function isLoaded(request: HttpRequest): boolean {
  try {
    request.scope.get(requestUser)?.();
    return true;
  } catch {
    return false;
  }
}

function readFirewall(found: RequestAuthentication, redactor: Redactor): SecurityFirewall {
  const { firewall: name, isSecured, isStateless, isLazy, provider, entryPoint = '', authenticators } = found;
  const attempts = found.attempts.map(
    ({ badges, milliseconds: durationMs, authenticator, status, detail }) => ({
      authenticator,
      status,
      detail: redactor.text(detail),
      durationMs,
      badges: badges.map((badge) => `${badge.name}: ${badge.isResolved ? 'met' : 'not met'}`),
    }),
  );
  return { name, isSecured, isStateless, isLazy, provider, entryPoint, authenticators, attempts };
}

function readUser({ token }: RequestAuthentication, redactor: Redactor): RecordedUser | null {
  if (token === undefined || token.identifier === '') return null;
  const { identifier, roles, authenticator, strength, impersonator = '' } = token;
  return {
    identifier: redactor.text(identifier),
    roles,
    authenticator,
    strength,
    impersonator: redactor.text(impersonator),
  };
}

function addDecision(facts: Facts, message: ChannelMessage, redactor: Redactor): void {
  const { decisions } = facts;
  if (decisions.length >= limits.decisions || facts.weight >= limits.decisionText) facts.more++;
  else {
    const clean = (value: unknown): string => {
      const text = redactor.text(messageText(value));
      facts.weight += text.length;
      return text;
    };
    decisions.push({
      granted: message['granted'] === true,
      attribute: clean(message['attribute']),
      subject: clean(message['subject']),
      strategy: clean(message['strategy']),
      votes: messagesOf(message['votes']).map((vote) => ({
        voter: clean(vote['voter']),
        verdict: clean(vote['verdict']),
        reason: clean(vote['reason']),
      })),
    });
  }
}

function addSessionUse(facts: Facts, message: ChannelMessage, redactor: Redactor): void {
  const operation = messageText(message['operation']);
  const key = redactor.text(messageText(message['key']));
  const stack = messageText(message['stack']);
  const caller = redactor.text((stack.split('\n')[0] ?? '').trim().replace(/^at /, ''));
  const place = `${operation} ${key} ${caller}`;
  const { uses } = facts;
  const known = uses.get(place);
  if (known === undefined && uses.size >= limits.uses) facts.more++;
  else if (known !== undefined) uses.set(place, { ...known, count: known.count + 1 });
  else {
    const [, file = '', line, column] = /([^\s()]+?):(\d+):(\d+)\)?$/.exec(caller) ?? [];
    const at = { file, line: Number(line ?? 0), column: Number(column ?? 0) };
    uses.set(place, { operation, key, caller, count: 1, ...at });
  }
}
