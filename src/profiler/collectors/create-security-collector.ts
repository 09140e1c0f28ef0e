import {
  type ChannelMessage,
  createChannelCollector,
  type ListeningCollector,
} from './create-channel-collector.js';
import { messageOf, messagesOf, textOf, textsOf } from './read-message-fields.js';
import type {
  SecurityDecision,
  SecurityFirewall,
  SecuritySection,
  SecurityUser,
  SessionUse,
} from './security-section.js';

const DECISIONS = 100;
const SESSION_USES = 50;

interface Facts {
  firewall: SecurityFirewall | null;
  user: SecurityUser | null;
  /** Both made when there is something to keep: most requests have neither. */
  decisions: SecurityDecision[] | undefined;
  uses: Map<string, SessionUse> | undefined;
  more: number;
}

/** Keeps what the firewall, the voters and the session tell on their channels, under `security`. Never a credential. */
export function createSecurityCollector(): ListeningCollector {
  return createChannelCollector<Facts>({
    name: 'security',
    begin: () => ({ firewall: null, user: null, decisions: undefined, uses: undefined, more: 0 }),
    channels: {
      'lookback:security:authentication': (facts, message) => {
        facts.firewall = readKnownFirewall(message);
        facts.user = readUser(message['token']);
      },
      'lookback:security:decision': (facts, message) => {
        const decisions = (facts.decisions ??= []);
        if (decisions.length < DECISIONS) decisions.push(readDecision(message));
        else facts.more++;
      },
      'lookback:security:session': addSessionUse,
    },
    section: (facts) => (isQuiet(facts) ? quietSection(facts.firewall) : fullSection(facts)),
  });
}

/** What was read of messages that are the same for every request. */
const known = new WeakMap<ChannelMessage, SecurityFirewall>();

function readKnownFirewall(message: ChannelMessage): SecurityFirewall {
  if (!Object.isFrozen(message) || messagesOf(message['attempts']).length > 0) return readFirewall(message);
  let firewall = known.get(message);
  if (firewall === undefined) known.set(message, (firewall = freeze(readFirewall(message))));
  return firewall;
}

function freeze({ authenticators, attempts, ...rest }: SecurityFirewall): SecurityFirewall {
  return Object.freeze({
    ...rest,
    authenticators: Object.freeze(authenticators),
    attempts: Object.freeze(attempts),
  });
}

/** Sections of requests of strangers about which nothing was decided. */
const quiet = new WeakMap<SecurityFirewall, SecuritySection>();

function isQuiet(facts: Facts): facts is Facts & { readonly firewall: SecurityFirewall } {
  const { firewall, user, decisions, uses } = facts;
  return (
    firewall !== null &&
    Object.isFrozen(firewall) &&
    user === null &&
    decisions === undefined &&
    uses === undefined
  );
}

function quietSection(firewall: SecurityFirewall): SecuritySection {
  let section = quiet.get(firewall);
  if (section === undefined) {
    const nothing = Object.freeze([]);
    section = Object.freeze({ firewall, user: null, decisions: nothing, uses: nothing, more: 0 });
    quiet.set(firewall, section);
  }
  return section;
}

function fullSection({ firewall, user, decisions, uses, more }: Facts): SecuritySection {
  return { firewall, user, decisions: decisions ?? [], uses: [...(uses?.values() ?? [])], more };
}

function readFirewall(message: ChannelMessage): SecurityFirewall {
  return {
    name: textOf(message['firewall']),
    isSecured: message['isSecured'] === true,
    isStateless: message['isStateless'] === true,
    isLazy: message['isLazy'] === true,
    provider: textOf(message['provider']),
    entryPoint: textOf(message['entryPoint']),
    authenticators: textsOf(message['authenticators']),
    attempts: messagesOf(message['attempts']).map((attempt) => ({
      authenticator: textOf(attempt['authenticator']),
      status: textOf(attempt['status']),
      detail: textOf(attempt['detail']),
      durationMs: typeof attempt['milliseconds'] === 'number' ? attempt['milliseconds'] : 0,
      badges: messagesOf(attempt['badges']).map(
        (badge) => `${textOf(badge['name'])}: ${badge['isResolved'] === true ? 'met' : 'not met'}`,
      ),
    })),
  };
}

function readUser(token: unknown): SecurityUser | null {
  const message = messageOf(token);
  const identifier = textOf(message['identifier']);
  if (identifier === '') return null;
  return {
    identifier,
    roles: textsOf(message['roles']),
    authenticator: textOf(message['authenticator']),
    strength: textOf(message['strength']),
    impersonator: textOf(message['impersonator']),
  };
}

function readDecision(message: ChannelMessage): SecurityDecision {
  return {
    granted: message['granted'] === true,
    attribute: textOf(message['attribute']),
    subject: textOf(message['subject']),
    strategy: textOf(message['strategy']),
    votes: messagesOf(message['votes']).map((vote) => ({
      voter: textOf(vote['voter']),
      verdict: textOf(vote['verdict']),
      reason: textOf(vote['reason']),
    })),
  };
}

function addSessionUse(facts: Facts, message: ChannelMessage): void {
  const operation = textOf(message['operation']);
  const key = textOf(message['key']);
  const caller = textOf(textOf(message['stack']).split('\n')[0]?.trim().replace(/^at /, ''));
  const place = `${operation} ${key} ${caller}`;
  const uses = (facts.uses ??= new Map());
  const known = uses.get(place);
  if (known === undefined && uses.size >= SESSION_USES) facts.more++;
  else uses.set(place, { operation, key, caller, count: (known?.count ?? 0) + 1 });
}
