/** An access decision with the votes that led to it. Plain data, for records and messages. */
export interface AccessDecision {
  readonly granted: boolean;
  readonly attribute: string;
  /** Type of the subject: `Article`, `string`, `none`. Never its contents. */
  readonly subject: string;
  readonly strategy: string;
  readonly votes: readonly RecordedVote[];
}

export interface RecordedVote {
  readonly voter: string;
  readonly verdict: 'grant' | 'deny' | 'abstain';
  readonly reason: string;
}

/** Renders a decision as one sentence: `edit on Article denied: owner says deny (not the author)`. */
export function renderDecision(decision: AccessDecision): string {
  const on = decision.subject === 'none' ? '' : ` on ${decision.subject}`;
  const spoken = decision.votes.filter(({ verdict }) => verdict !== 'abstain');
  const votes = spoken.map(
    ({ voter, verdict, reason }) => `${voter} says ${verdict}${reason === '' ? '' : ` (${reason})`}`,
  );
  const why = votes.length === 0 ? 'every voter abstained' : votes.join('; ');
  return `${decision.attribute}${on} ${decision.granted ? 'granted' : 'denied'}: ${why}`;
}
