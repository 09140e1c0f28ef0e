import { type HttpRequest, type RequestAuthentication, requestAuthentication, requestUser } from '#http';
import {
  type ChannelMessage,
  createChannelCollector,
  type ListeningCollector,
} from './create-channel-collector.js';
import { messagesOf, textOf } from './read-message-fields.js';
import type {
  SecurityDecision,
  SecurityFirewall,
  SecuritySection,
  SecurityUser,
  SessionUse,
} from './security-section.js';

const DECISIONS = 100;
const SESSION_USES = 50;

/** Each made when there is something to keep: most requests have neither. */
interface Facts {
  decisions: SecurityDecision[] | undefined;
  uses: Map<string, SessionUse> | undefined;
  more: number;
}

/**
 * Keeps what the firewall found out, and what voters and session tell on their channels, under `security`. Never a
 * credential.
 */
export function createSecurityCollector(): ListeningCollector {
  return createChannelCollector<Facts>({
    name: 'security',
    begin: () => ({ decisions: undefined, uses: undefined, more: 0 }),
    channels: {
      'lookback:security:decision': (facts, message) => {
        const decisions = (facts.decisions ??= []);
        if (decisions.length < DECISIONS) decisions.push(readDecision(message));
        else facts.more++;
      },
      'lookback:security:session': addSessionUse,
    },
    section: (facts, { request }) => {
      const found = request.scope.getOwn(requestAuthentication)?.authentication;
      if (facts === undefined && found === undefined) return undefined;
      const isUserLoaded = found?.isLazy !== true || isLoaded(request);
      return facts === undefined && found !== undefined
        ? quietSection({ found, isUserLoaded })
        : fullSection({ found, isUserLoaded }, facts ?? none);
    },
  });
}

const none: Facts = { decisions: undefined, uses: undefined, more: 0 };
/** Sections of strangers whom nobody examined, and about whom nothing was decided: most requests have the same. */
const quiet = [
  new WeakMap<RequestAuthentication, SecuritySection>(),
  new WeakMap<RequestAuthentication, SecuritySection>(),
] as const;

/** Whether the user is known by now; the firewall is not made to look. */
function isLoaded(request: HttpRequest): boolean {
  try {
    request.scope.get(requestUser)?.();
    return true;
  } catch {
    return false;
  }
}

/** What the firewall knows when the record closes. */
interface Finding<Found> {
  readonly found: Found;
  readonly isUserLoaded: boolean;
}

function quietSection({ found, isUserLoaded }: Finding<RequestAuthentication>): SecuritySection {
  if (found.token !== undefined || found.attempts.length > 0)
    return fullSection({ found, isUserLoaded }, none);
  const known = quiet[isUserLoaded ? 1 : 0];
  let section = known.get(found);
  if (section === undefined) {
    const nothing = Object.freeze([]);
    section = Object.freeze({
      firewall: readFirewall(found),
      user: null,
      isUserLoaded,
      decisions: nothing,
      uses: nothing,
      more: 0,
    });
    known.set(found, section);
  }
  return section;
}

function fullSection(
  { found, isUserLoaded }: Finding<RequestAuthentication | undefined>,
  { decisions, uses, more }: Facts,
): SecuritySection {
  return {
    firewall: found === undefined ? null : readFirewall(found),
    user: found === undefined ? null : readUser(found),
    isUserLoaded,
    decisions: decisions ?? [],
    uses: [...(uses?.values() ?? [])],
    more,
  };
}

function readFirewall(found: RequestAuthentication): SecurityFirewall {
  const { firewall: name, isSecured, isStateless, isLazy, provider, entryPoint = '' } = found;
  const attempts = found.attempts.map(
    ({ badges, milliseconds: durationMs, authenticator, status, detail }) => ({
      authenticator,
      status,
      detail,
      durationMs,
      badges: badges.map((badge) => `${badge.name}: ${badge.isResolved ? 'met' : 'not met'}`),
    }),
  );
  const authenticators = Object.freeze([...found.authenticators]);
  return Object.freeze({
    name,
    isSecured,
    isStateless,
    isLazy,
    provider,
    entryPoint,
    authenticators,
    attempts: Object.freeze(attempts),
  });
}

function readUser({ token }: RequestAuthentication): SecurityUser | null {
  if (token === undefined || token.identifier === '') return null;
  const { identifier, roles, authenticator, strength, impersonator = '' } = token;
  return { identifier, roles: [...roles], authenticator, strength, impersonator };
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
