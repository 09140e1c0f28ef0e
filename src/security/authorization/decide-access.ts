import type { HttpRequest } from '#http';
import type { SecurityToken } from '../authentication/authenticator.js';
import type { AccessDecision } from './access-decision.js';
import type { AccessQuestion, Vote, Voter } from './voter.js';

/** A condition as a function, used instead of an attribute. */
export type AccessPolicy = (question: Omit<AccessQuestion, 'attribute'>) => boolean | Promise<boolean>;

/** A requirement for access: an attribute that voters decide on, or a condition as a function. */
export type AccessRequirement = string | AccessPolicy;

export interface AccessDecider {
  readonly voters: readonly Voter[];
  readonly strategy: StrategyOptions;
  readonly reachableRoles: (roles: readonly string[]) => ReadonlySet<string>;
}

export interface AccessCase {
  readonly request: HttpRequest;
  readonly token: SecurityToken | undefined;
  readonly pending?: SecurityToken | undefined;
  readonly subject?: unknown;
}

/**
 * Decides whether access is granted. Calls every voter even if the first one already decides, so that records show all
 * votes.
 */
export async function decideAccess(
  decider: AccessDecider,
  requirement: AccessRequirement,
  { request, token, pending, subject }: AccessCase,
): Promise<AccessDecision> {
  const roles = decider.reachableRoles(token?.user.roles ?? []);
  const question = { request, token, pending, subject, roles };
  const strategy = decider.strategy.strategy ?? 'affirmative';
  if (typeof requirement === 'function') {
    const granted = await requirement(question);
    const verdict = granted ? 'grant' : 'deny';
    const attribute = requirement.name || 'policy';
    const votes = [{ voter: 'policy', verdict, reason: '' }] as const;
    return { granted, attribute, subject: describeSubject(subject), strategy, votes };
  }
  const votes: Vote[] = [];
  const attributeQuestion = { ...question, attribute: requirement };
  for (const voter of decider.voters) {
    const vote = voter.vote(attributeQuestion);
    votes.push('verdict' in vote ? vote : await vote);
  }
  return {
    granted: tallyVotes(votes, decider.strategy),
    attribute: requirement,
    subject: describeSubject(subject),
    strategy,
    votes: votes.map((vote, index) => ({
      voter: decider.voters[index]?.name ?? '',
      verdict: vote.verdict,
      reason: vote.reason ?? '',
    })),
  };
}

/**
 * Returns the name of the subject's class, or its type. Reads own data properties only, so that no getter of the subject
 * runs.
 */
function describeSubject(subject: unknown): string {
  if (subject === undefined || subject === null) return 'none';
  if (typeof subject !== 'object') return typeof subject;
  if (Array.isArray(subject)) return 'array';
  try {
    const prototype: unknown = Object.getPrototypeOf(subject);
    const maker =
      prototype === null ? undefined : Object.getOwnPropertyDescriptor(prototype as object, 'constructor'); // prototypes are objects
    return typeof maker?.value === 'function' ? String(maker.value.name) : 'object';
  } catch {
    return 'object'; // a Proxy with a trap that throws
  }
}

/**
 * Strategies that turn votes into a decision. `affirmative`: one grant is enough. `consensus`: at least as many grants as
 * denials. `unanimous`: no denial. `priority`: the first voter that does not abstain decides. If every voter abstains,
 * access is denied.
 */
type StrategyName = 'affirmative' | 'consensus' | 'unanimous' | 'priority';

export interface StrategyOptions {
  readonly strategy?: StrategyName;
}

type Tally = (verdicts: readonly ('grant' | 'deny')[]) => boolean;

const tallies: Readonly<Record<StrategyName, Tally>> = {
  affirmative: (verdicts) => verdicts.includes('grant'),
  unanimous: (verdicts) => !verdicts.includes('deny'),
  priority: ([first]) => first === 'grant',
  consensus: (verdicts) => verdicts.filter((verdict) => verdict === 'grant').length * 2 >= verdicts.length,
};

/**
 * Returns whether access is granted, given all votes in the order of the voters. Denies access if every voter abstains.
 */
export function tallyVotes(votes: readonly Vote[], { strategy = 'affirmative' }: StrategyOptions): boolean {
  const verdicts = votes.map(({ verdict }) => verdict).filter((verdict) => verdict !== 'abstain');
  return verdicts.length > 0 && tallies[strategy](verdicts);
}
