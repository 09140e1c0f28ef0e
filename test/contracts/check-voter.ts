import assert from 'node:assert/strict';
import type { AccessQuestion, Voter } from 'lookback/security';
import { type ContractCase, createContract } from './contract-case.js';

/** The contract suite for `Voter`. The voter must grant or deny `question`, and abstain on unknown attributes. */
export function checkVoter(voter: Voter, question: AccessQuestion): readonly ContractCase[] {
  const before = new Set(question.roles);
  return createContract({
    async 'votes consistently on attributes it knows, and abstains on the rest'() {
      const first = await voter.vote(question);
      assert.ok(first.verdict === 'grant' || first.verdict === 'deny');
      assert.deepEqual(await voter.vote(question), first);
      for (const attribute of ['', '__proto__', 'constructor', 'an attribute that no voter knows']) {
        assert.equal((await voter.vote({ ...question, attribute })).verdict, 'abstain', attribute);
      }
    },
    async 'votes on unknown subjects and without a subject without failing'() {
      const stranger = { ...question, token: undefined, roles: new Set<string>() };
      for (const subject of [undefined, null, 0, '', Object.create(null), [], () => undefined]) {
        const { verdict } = await voter.vote({ ...stranger, subject });
        assert.ok(['grant', 'deny', 'abstain'].includes(verdict));
      }
    },
    async 'does not modify the question'() {
      await voter.vote(question);
      assert.deepEqual(question.roles, before);
    },
  });
}
