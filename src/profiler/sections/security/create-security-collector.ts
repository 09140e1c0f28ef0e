import type { CodePosition } from '#core/errors';
import { type RequestAuthentication, requestAuthentication } from '#core/http';
import { createChannelCollector, type ListeningCollector } from '../create-channel-collector.js';
import { cleanTexts, type CompletedPart, definePart } from '../define-part.js';
import { type ChannelMessage, countOf, messagesOf, messageText } from '../message-reader.js';

/** The firewall, the user, and the access decisions. No key contains “session”: it would be redacted when shown. */
export interface SecuritySection {
  /** Null if no firewall handled the request. */
  readonly firewall: SecurityFirewall | null;
  /** Null for anonymous visitors. */
  readonly user: RecordedUser | null;
  readonly decisions: readonly SecurityDecision[];
  /** Session values that were read or written, and where from; uses by security itself have no file. */
  readonly uses: readonly RecordedSessionUse[];
  /** Number of omitted decisions and session uses. */
  readonly more: number;
}

type Found = RequestAuthentication;

export interface SecurityFirewall extends Pick<
  Found,
  'isSecured' | 'isStateless' | 'provider' | 'authenticators'
> {
  readonly name: string;
  readonly entryPoint: string;
  readonly attempts: readonly (Pick<Found['attempts'][number], 'authenticator' | 'status' | 'detail'> & {
    readonly durationMs: number;
    /** For example `csrf token: met`. */
    readonly badges: readonly string[];
  })[];
}

export interface RecordedUser extends Pick<
  NonNullable<Found['token']>,
  'identifier' | 'roles' | 'authenticator' | 'strength'
> {
  /** Roles that the user has through others; absent if there are none. */
  readonly inheritedRoles?: readonly string[];
  /** The user who impersonates this one; empty if there is none. */
  readonly impersonator: string;
}

export interface SecurityDecision {
  readonly granted: boolean;
  readonly attribute: string;
  readonly subject: string;
  readonly strategy: string;
  readonly votes: readonly { readonly voter: string; readonly verdict: string; readonly reason: string }[];
  /** Who asked: `access rule 1 (path /admin)`, `isGranted of ShopController.show`. Absent if it is not known. */
  readonly by?: string;
  /** Where the application asked; absent for declared requirements. */
  readonly place?: CodePosition & { readonly name: string };
}

export interface RecordedSessionUse extends CodePosition {
  readonly operation: string;
  readonly key: string;
  readonly count: number;
  readonly name: string;
}

/** The data is the section, or its JSON. */
export const securityPart: CompletedPart = definePart<SecuritySection | string, SecuritySection>({
  name: 'security',
  clean(taken, redactor) {
    const section = typeof taken === 'string' ? (JSON.parse(taken) as SecuritySection) : taken; // of the collector below
    // Badges name tokens, and what has become of them.
    return cleanTexts(section, redactor, ['badges']);
  },
});

/** JSON of the sections of visitors who are not logged in, which are the same for each firewall. */
const usual = new WeakMap<RequestAuthentication, string>();

/** Limits per request: decisions, characters of all decisions, and session uses. */
const limits = { decisions: 100, decisionText: 100_000, uses: 50 } as const;

interface Facts {
  readonly decisions: SecurityDecision[];
  readonly uses: Map<string, RecordedSessionUse & { count: number }>;
  /** Characters of the decisions so far. */
  weight: number;
  more: number;
}

/**
 * Creates the `security` collector, which records the result of the firewall, and what voters and the session publish on
 * their channels. It never records credentials.
 */
export function createSecurityCollector(): ListeningCollector {
  return createChannelCollector<Facts>({
    part: securityPart,
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
  const [by, place] = [read(message['by']), placeOf(message['place'])];
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
    ...(place.file === '' ? {} : { place }),
  });
}

function placeOf(given: unknown): CodePosition & { readonly name: string } {
  const [place = {}] = messagesOf([given]);
  return {
    name: messageText(place['name']),
    file: messageText(place['file']),
    line: countOf(place['line']),
    column: countOf(place['column']),
  };
}

function addSessionUse(facts: Facts, message: ChannelMessage): void {
  const { uses } = facts;
  const use = {
    operation: messageText(message['operation']),
    key: messageText(message['key']),
    count: 1,
    ...placeOf(message['place']),
  };
  const id = `${use.operation} ${use.key} ${use.file}:${use.line}:${use.column}`;
  const known = uses.get(id);
  if (known !== undefined) known.count++;
  else if (uses.size >= limits.uses) facts.more++;
  else uses.set(id, use);
}
