import type { CodePosition } from '#core/errors';
import { type RequestAuthentication, requestAuthentication } from '#core/http';
import { createChannelCollector } from '../collect-messages.js';
import type { CollectedSection } from '../section.js';
import { type ChannelMessage, countOf, messageText, messagesOf } from '../message-reader.js';
import {
  type RecordedSessionUse,
  type RecordedUser,
  type SecurityDecision,
  type SecurityFirewall,
  type SecuritySection,
  securityDefinition,
} from './section.js';

/** The section's JSON for anonymous visitors, which is the same for every request through a firewall. */
const usual = new WeakMap<RequestAuthentication, string>();

/** Limits per request: decisions, total decision characters, and session uses. */
const limits = { decisions: 100, decisionText: 100_000, uses: 50 } as const;

interface Facts {
  readonly decisions: SecurityDecision[];
  readonly uses: Map<string, RecordedSessionUse & { count: number }>;
  /** Characters in the decisions so far. */
  weight: number;
  more: number;
}

/**
 * Creates the `security` collector, which records the firewall result, and what voters and the session publish on their
 * channels. Never records credentials.
 */
export function createSecurityCollector(): CollectedSection {
  return createChannelCollector<Facts>({
    definition: securityDefinition,
    begin: () => ({ decisions: [], uses: new Map(), weight: 0, more: 0 }),
    channels: {
      'lookback:security:decision': addDecision,
      'lookback:security:session': addSessionUse,
    },
    section: (facts, { request }): SecuritySection | string | undefined => {
      const found = request.scope.getOwn(requestAuthentication)?.authentication;
      if (facts === undefined && found === undefined) return undefined;
      const isUsual =
        facts === undefined && found !== undefined && !found.token && found.attempts.length === 0;
      const known = isUsual ? usual.get(found) : undefined;
      if (known !== undefined) return known;
      const section: SecuritySection = {
        firewall: found === undefined ? null : readFirewall(found),
        user: found === undefined ? null : readUser(found),
        decisions: facts?.decisions ?? [],
        uses: facts === undefined ? [] : [...facts.uses.values()],
        more: facts?.more ?? 0,
      };
      if (isUsual) usual.set(found, JSON.stringify(section));
      return section;
    },
  });
}

function readFirewall(found: RequestAuthentication): SecurityFirewall {
  const { firewall: name, isSecured, isStateless, provider, entryPoint = '', authenticators } = found;
  const attempts = found.attempts.map(
    ({ badges, milliseconds: durationMs, authenticator, status, detail }) => ({
      authenticator,
      status,
      detail,
      durationMs,
      badges: badges.map((badge) => `${badge.name}: ${badge.isResolved ? 'met' : 'not met'}`),
    }),
  );
  return { name, isSecured, isStateless, provider, entryPoint, authenticators, attempts };
}

function readUser({ token }: RequestAuthentication): RecordedUser | null {
  if (token === undefined || token.identifier === '') return null;
  const { identifier, roles, inheritedRoles, authenticator, strength, impersonator = '' } = token;
  const inherited = inheritedRoles === undefined ? {} : { inheritedRoles };
  return { identifier, roles, ...inherited, authenticator, strength, impersonator };
}

function addDecision(facts: Facts, message: ChannelMessage): void {
  const { decisions } = facts;
  if (decisions.length >= limits.decisions || facts.weight >= limits.decisionText) {
    facts.more++;
    return;
  }
  const read = (value: unknown): string => {
    const text = messageText(value);
    facts.weight += text.length;
    return text;
  };
  const [by, location] = [read(message['by']), locationTextOf(message['location'])];
  decisions.push({
    granted: message['granted'] === true,
    attribute: read(message['attribute']),
    subject: read(message['subject']),
    strategy: read(message['strategy']),
    votes: messagesOf(message['votes']).map((vote) => ({
      voter: read(vote['voter']),
      verdict: read(vote['verdict']),
      reason: read(vote['reason']),
    })),
    ...(by === '' ? {} : { by }),
    ...(location.file === '' ? {} : { location }),
  });
}

function locationTextOf(given: unknown): CodePosition & { readonly name: string } {
  const [location = {}] = messagesOf([given]);
  return {
    name: messageText(location['name']),
    file: messageText(location['file']),
    line: countOf(location['line']),
    column: countOf(location['column']),
  };
}

function addSessionUse(facts: Facts, message: ChannelMessage): void {
  const { uses } = facts;
  const use = {
    operation: messageText(message['operation']),
    key: messageText(message['key']),
    count: 1,
    ...locationTextOf(message['location']),
  };
  const id = `${use.operation} ${use.key} ${use.file}:${use.line}:${use.column}`;
  const known = uses.get(id);
  if (known !== undefined) known.count++;
  else if (uses.size >= limits.uses) facts.more++;
  else uses.set(id, use);
}
