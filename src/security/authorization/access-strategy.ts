import type { Vote } from './voter.js';

/**
 * How votes become a decision. `affirmative`: one grant is enough. `consensus`: more grants than denials.
 * `unanimous`: grants and no denial. `priority`: the first voter that does not abstain decides.
 */
export type StrategyName = 'affirmative' | 'consensus' | 'unanimous' | 'priority';

export interface StrategyOptions {
  readonly strategy?: StrategyName;
  /** Whether a question that every voter abstains on is granted. Default false. */
  readonly allowIfAllAbstain?: boolean;
  /** Whether as many grants as denials are a grant (`consensus`). Default true. */
  readonly allowIfEqual?: boolean;
}

type Tally = (verdicts: readonly ('grant' | 'deny')[], allowIfEqual: boolean) => boolean;

const tallies: Readonly<Record<StrategyName, Tally>> = {
  affirmative: (verdicts) => verdicts.includes('grant'),
  unanimous: (verdicts) => !verdicts.includes('deny'),
  priority: ([first]) => first === 'grant',
  consensus(verdicts, allowIfEqual) {
    const grants = verdicts.filter((verdict) => verdict === 'grant').length;
    const denials = verdicts.length - grants;
    return grants === denials ? allowIfEqual : grants > denials;
  },
};

/** The decision that a strategy makes of all votes, in the voters' order. */
export function tallyVotes(votes: readonly Vote[], options: StrategyOptions): boolean {
  const verdicts = votes.map(({ verdict }) => verdict).filter((verdict) => verdict !== 'abstain');
  if (verdicts.length === 0) return options.allowIfAllAbstain ?? false;
  return tallies[options.strategy ?? 'affirmative'](verdicts, options.allowIfEqual ?? true);
}
