import { nameErrors } from '#core/coded-error';
import { classNameOf } from '#core/dump';
import { ForbiddenError } from '#core/errors';
import type { HttpRequest } from '#core/http';
import type { SecurityToken } from '../authentication/authenticator.js';

/** A condition as a function, used instead of an attribute. */
type AccessPolicy = (question: Omit<AccessQuestion, 'attribute'>) => boolean | Promise<boolean>;

/** A requirement for access: an attribute that voters decide on, or a condition as a function. */
export type AccessRequirement = string | AccessPolicy;

export interface AccessDecider {
  readonly voters: readonly Voter[];
  readonly strategy: StrategyOptions['strategy'];
  readonly reachableRoles: (roles: readonly string[]) => ReadonlySet<string>;
}

export interface StrategyOptions {
  /**
   * How votes become a decision. `affirmative` (the default): one grant is enough. `unanimous`: no denial. If every
   * voter abstains, access is denied.
   */
  readonly strategy?: 'affirmative' | 'unanimous' | undefined;
}

/** Decides whether access is granted. Calls every voter, even after the decision, so that records show all votes. */
export async function decideAccess(
  { voters, strategy = 'affirmative', reachableRoles }: AccessDecider,
  requirement: AccessRequirement,
  { subject: about, ...asked }: Pick<AccessQuestion, 'request' | 'token'> & { readonly subject?: unknown },
): Promise<AccessDecision> {
  const question = { ...asked, subject: about, roles: reachableRoles(asked.token?.user.roles ?? []) };
  const subject = describeSubject(about);
  if (typeof requirement === 'function') {
    const granted = await requirement(question);
    const votes = [{ voter: 'policy', verdict: granted ? 'grant' : 'deny', reason: '' }] as const;
    return { granted, attribute: requirement.name || 'policy', subject, strategy, votes };
  }
  const votes: RecordedVote[] = [];
  for (const voter of voters) {
    const answer = voter.vote({ ...question, attribute: requirement });
    const { verdict, reason = '' } = 'verdict' in answer ? answer : await answer;
    votes.push({ voter: voter.name, verdict, reason });
  }
  const hasVerdict = (verdict: Vote['verdict']): boolean => votes.some((vote) => vote.verdict === verdict);
  const granted = hasVerdict('grant') && !(strategy === 'unanimous' && hasVerdict('deny'));
  return { granted, attribute: requirement, subject, strategy, votes };
}

/** Returns the name of the subject's class, or its type. Runs none of the subject's code. */
function describeSubject(subject: unknown): string {
  if (subject === undefined || subject === null) return 'none';
  return typeof subject === 'object' ? classNameOf(subject) : typeof subject;
}

/** The question for voters: may the token's user do `attribute` to `subject`? */
export interface AccessQuestion {
  /** A role (`ROLE_ADMIN`), an authentication attribute (`IS_AUTHENTICATED`) or a permission (`edit`). */
  readonly attribute: string;
  /** The object to access: any application value, or undefined. */
  readonly subject: unknown;
  /** Undefined for an anonymous visitor. */
  readonly token: SecurityToken | undefined;
  /** The user's roles, including inherited ones. */
  readonly roles: ReadonlySet<string>;
  readonly request: HttpRequest;
}

/** A voter's answer; `abstain` if it has no opinion on the question. */
export interface Vote {
  readonly verdict: 'grant' | 'deny' | 'abstain';
  /** Short reason, for records and logs. */
  readonly reason?: string;
}

/** Port: votes on access questions. */
export interface Voter {
  readonly name: string;
  /** Must abstain from questions that it does not decide, and must not have side effects. */
  vote(question: AccessQuestion): Vote | Promise<Vote>;
}

/** An access decision with the votes that led to it. Plain data, for records and messages. */
export interface AccessDecision {
  readonly granted: boolean;
  readonly attribute: string;
  /** Type of the subject: `Article`, `string`, `none`. Never its contents. */
  readonly subject: string;
  readonly strategy: string;
  readonly votes: readonly RecordedVote[];
}

interface RecordedVote extends Required<Vote> {
  readonly voter: string;
}

/** Renders a decision as one sentence: `edit on Article denied: owner says deny (not the author)`. */
export function renderDecision(decision: AccessDecision): string {
  const on = decision.subject === 'none' ? '' : ` on ${decision.subject}`;
  return `${decision.attribute}${on} ${decision.granted ? 'granted' : 'denied'}: ${renderVotes(decision)}`;
}

/** Renders why a decision was made: `owner says deny (not the author)`. */
export function renderVotes(decision: AccessDecision): string {
  const spoken = decision.votes.filter(({ verdict }) => verdict !== 'abstain');
  const votes = spoken.map(
    ({ voter, verdict, reason }) => `${voter} says ${verdict}${reason === '' ? '' : ` (${reason})`}`,
  );
  return votes.length === 0 ? 'every voter abstained' : votes.join('; ');
}

/** Access is denied: 403 for a known user; an anonymous visitor is sent to the firewall's entry point. */
export class AccessDeniedError extends ForbiddenError {
  readonly #decisions: readonly AccessDecision[];

  /** A given message is sent to the client unless `expose` is false; votes are never sent. */
  constructor(
    message?: string,
    decisions: readonly AccessDecision[] = [],
    { expose = message !== undefined }: { readonly expose?: boolean } = {},
  ) {
    super(message ?? `Access denied. ${decisions.map(renderDecision).join(' | ')}`.trim(), { expose });
    this.#decisions = decisions;
  }

  /** The decisions that led to this error; empty if the application threw it. */
  get decisions(): readonly AccessDecision[] {
    return this.#decisions;
  }

  /** Returns whether a value is an instance of this error class. Never throws, not even for a Proxy. */
  static is(value: unknown): value is AccessDeniedError {
    return typeof value === 'object' && value !== null && #decisions in value;
  }

  static {
    nameErrors(this, 'AccessDeniedError');
  }
}

/** Attribute that is granted to everyone, including anonymous visitors. */
export const PUBLIC_ACCESS = 'PUBLIC_ACCESS';

const authenticationAttributes = new Map<string, (token: SecurityToken) => boolean>([
  ['IS_AUTHENTICATED', () => true],
  ['IS_AUTHENTICATED_REMEMBERED', () => true],
  ['IS_AUTHENTICATED_FULLY', (token) => token.strength === 'full'],
  ['IS_REMEMBERED', (token) => token.strength === 'remembered'],
  ['IS_IMPERSONATOR', (token) => token.impersonator !== undefined],
]);

/**
 * The voter for authentication attributes: `IS_AUTHENTICATED`, `…_FULLY`, `…_REMEMBERED`, `IS_REMEMBERED`,
 * `IS_IMPERSONATOR` and `PUBLIC_ACCESS`.
 */
export const authenticatedVoter: Voter = {
  name: 'authenticated',
  vote({ attribute, token }) {
    if (attribute === PUBLIC_ACCESS) return { verdict: 'grant', reason: 'open to everyone' };
    const holds = authenticationAttributes.get(attribute);
    if (holds === undefined) return { verdict: 'abstain' };
    if (token === undefined) return { verdict: 'deny', reason: 'not logged in' };
    const how = `${token.strength} login${token.impersonator === undefined ? '' : ', impersonated'}`;
    return { verdict: holds(token) ? 'grant' : 'deny', reason: how };
  },
};

/** The roles that each role includes: `{ ROLE_ADMIN: ['ROLE_EDITOR'], ROLE_EDITOR: ['ROLE_READER'] }`. */
export type RoleHierarchy = Readonly<Record<string, readonly string[]>>;

/** Returns a function that adds all directly and indirectly included roles to the given roles. Cycles are allowed. */
export function compileRoleHierarchy(
  hierarchy: RoleHierarchy,
): (roles: readonly string[]) => ReadonlySet<string> {
  const includes = new Map(Object.entries(hierarchy));
  return (roles) => {
    const reached = new Set<string>();
    const open = [...roles];
    for (let role = open.pop(); role !== undefined; role = open.pop()) {
      if (reached.has(role)) continue;
      reached.add(role);
      open.push(...(includes.get(role) ?? []));
    }
    return reached;
  };
}

/** The voter for `ROLE_…`: grants it to users who have the role, directly or through the hierarchy. */
export const roleVoter: Voter = {
  name: 'role',
  vote({ attribute, roles, token }) {
    if (!attribute.startsWith('ROLE_')) return { verdict: 'abstain' };
    if (token === undefined) return { verdict: 'deny', reason: 'an anonymous visitor has no roles' };
    return roles.has(attribute)
      ? { verdict: 'grant', reason: `the user has ${attribute}` }
      : { verdict: 'deny', reason: `the user has ${[...roles].join(', ') || 'no role'}` };
  },
};
