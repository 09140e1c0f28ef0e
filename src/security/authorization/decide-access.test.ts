import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#http';
import type { SecurityToken } from '../authentication/authenticator.js';
import { renderDecision } from './access-decision.js';
import { createAuthenticatedVoter } from './authenticated-voter.js';
import { decideAccess, type StrategyOptions, tallyVotes } from './decide-access.js';
import { compileRoleHierarchy, createRoleVoter } from './role-voter.js';
import type { Vote } from './voter.js';

const request = new HttpRequest({
  method: 'GET',
  target: '/',
  rawHeaders: ['Host', 'localhost'],
  httpVersion: '1.1',
  peer: { address: '127.0.0.1', port: 1, encrypted: false },
});

const token: SecurityToken = {
  user: { identifier: 'ada', roles: ['ROLE_EDITOR'] },
  firewall: 'main',
  authenticator: 'test',
  strength: 'full',
};

const reachableRoles = compileRoleHierarchy({
  ROLE_ADMIN: ['ROLE_EDITOR'],
  ROLE_EDITOR: ['ROLE_READER'],
  ROLE_READER: ['ROLE_ADMIN_OF_NOTHING'],
  ROLE_A: ['ROLE_B'],
  ROLE_B: ['ROLE_A'],
});

describe('strategies', () => {
  const votes = (text: string): Vote[] =>
    Array.from(text).map((letter) => ({
      verdict: letter === '+' ? 'grant' : letter === '-' ? 'deny' : 'abstain',
    }));
  const table: [StrategyOptions, Record<string, boolean>][] = [
    [{}, { '': false, '0': false, '+': true, '-': false, '-+': true, '--+0': true }],
    [{ strategy: 'unanimous' }, { '+': true, '+0': true, '+-': false, '0': false }],
    [{ strategy: 'consensus' }, { '+-': true, '++-': true, '+--': false, '0': false }],
    [{ strategy: 'priority' }, { '0-+': false, '0+-': true, '0': false }],
  ];
  for (const [options, rows] of table) {
    it(`decide as they say: ${JSON.stringify(options)}`, () => {
      for (const [text, granted] of Object.entries(rows))
        assert.equal(tallyVotes(votes(text), options), granted, text);
    });
  }
});

describe('decideAccess', () => {
  class Article {
    author = 'ada';
  }
  const owner = {
    name: 'owner',
    vote: ({
      attribute,
      subject,
      token: asking,
    }: {
      attribute: string;
      subject: unknown;
      token: SecurityToken | undefined;
    }): Vote =>
      attribute === 'edit' && subject instanceof Article
        ? subject.author === asking?.user.identifier
          ? { verdict: 'grant', reason: 'wrote it' }
          : { verdict: 'deny', reason: 'wrote another one' }
        : { verdict: 'abstain' },
  };
  const decider = {
    voters: [createAuthenticatedVoter(), createRoleVoter(), owner],
    strategy: {},
    reachableRoles,
  };

  it('records every voter with its reason', async () => {
    const decision = await decideAccess(decider, 'edit', { request, token, subject: new Article() });
    assert.deepEqual(decision, {
      granted: true,
      attribute: 'edit',
      subject: 'Article',
      strategy: 'affirmative',
      votes: [
        { voter: 'authenticated', verdict: 'abstain', reason: '' },
        { voter: 'role', verdict: 'abstain', reason: '' },
        { voter: 'owner', verdict: 'grant', reason: 'wrote it' },
      ],
    });
    assert.equal(renderDecision(decision), 'edit on Article granted: owner says grant (wrote it)');
    const stranger = await decideAccess(decider, 'ROLE_READER', { request, token: undefined });
    assert.equal(
      renderDecision(stranger),
      'ROLE_READER denied: role says deny (an anonymous visitor has no roles)',
    );
    assert.equal(
      renderDecision(await decideAccess(decider, 'fly', { request, token })),
      'fly denied: every voter abstained',
    );
  });

  it('reads no getter and runs no trap of a subject', async () => {
    const trap = (): never => {
      throw new Error('looked');
    };
    const hostile = new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap, ownKeys: trap });
    assert.equal(
      (await decideAccess(decider, 'ROLE_READER', { request, token, subject: hostile })).subject,
      'object',
    );
  });

  it('takes a condition in the place of an attribute', async () => {
    const canFly = ({ roles }: { roles: ReadonlySet<string> }): boolean => roles.has('ROLE_READER');
    assert.equal((await decideAccess(decider, canFly, { request, token })).granted, true);
    const denied = await decideAccess(decider, canFly, { request, token: undefined });
    assert.deepEqual([denied.granted, denied.attribute], [false, 'canFly']);
  });
});
