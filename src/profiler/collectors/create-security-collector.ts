import { createRedactor, type Redactor } from '#dump';
import { type HttpRequest, type RequestAuthentication, requestAuthentication, requestUser } from '#http';
import { definePart } from '../form/define-part.js';
import {
  type ChannelMessage,
  createChannelCollector,
  type ListeningCollector,
} from './create-channel-collector.js';
import { messagesOf, messageText } from './message-reader.js';
import {
  type SecurityDecision,
  type SecurityFirewall,
  type SecuritySection,
  securityForm,
  type RecordedUser,
  type RecordedSessionUse,
} from './security-section.js';

/** Bounds of one request: decisions, the characters of all of them, and session values. */
const limits = { decisions: 100, decisionText: 100_000, uses: 50 } as const;

interface Facts {
  readonly decisions: SecurityDecision[];
  readonly uses: Map<string, RecordedSessionUse>;
  /** Characters of the decisions. */
  weight: number;
  more: number;
}

const noFacts = (): Facts => ({ decisions: [], uses: new Map(), weight: 0, more: 0 });

/**
 * Keeps what the firewall found out, and what voters and session publish on their channels, under `security`. Never a
 * credential.
 */
export function createSecurityCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): ListeningCollector {
  return createChannelCollector<Facts>({
    name: 'security',
    part: definePart(securityForm),
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

/** Whether the user is known by now; the firewall is not made to look. */
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
