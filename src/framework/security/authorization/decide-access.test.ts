import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import type { SecurityToken } from '../authentication/authenticator.js';
import {
  renderDecision,
  authenticatedVoter,
  decideAccess,
  type StrategyOptions,
  type Vote,
  compileRoleHierarchy,
  roleVoter,
} from './decide-access.js';

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

describe('access decision strategies', () => {
  const votes = (text: string): Vote[] =>
    Array.from(text).map((letter) => ({
      verdict: letter === '+' ? 'grant' : letter === '-' ? 'deny' : 'abstain',
    }));
  const table: [StrategyOptions, Record<string, boolean>][] = [
    [{}, { '': false, '0': false, '+': true, '-': false, '-+': true, '--+0': true }],
    [{ strategy: 'unanimous' }, { '+': true, '+0': true, '+-': false, '0': false }],
  ];
  for (const [options, rows] of table) {
    it(`decideAccess decides by its strategy: ${JSON.stringify(options)}`, async () => {
      for (const [text, granted] of Object.entries(rows)) {
        const voters = votes(text).map((vote, at) => ({ name: `voter ${at}`, vote: () => vote }));
        const decision = await decideAccess({ voters, strategy: options.strategy, reachableRoles }, 'edit', {
          request,
          token,
          subject: undefined,
        });
        assert.equal(decision.granted, granted, text);
      }
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
    voters: [authenticatedVoter, roleVoter, owner],
    strategy: undefined,
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

  it("names a decision's subject by its class or type, and “none” without a subject", async () => {
    const named = async (subject: unknown): Promise<string> =>
      (await decideAccess(decider, 'fly', { request, token, subject })).subject;
    for (const [subject, name] of [
      [undefined, 'none'],
      [null, 'none'],
      [new Article(), 'Article'],
      [[], 'Array'],
      [{}, 'Object'],
      [Object.create(null), 'null'],
      ['x', 'string'],
      [7, 'number'],
    ] as const)
      assert.equal(await named(subject), name);
  });

  it("runs none of a subject's getters or traps", async () => {
    const trap = (): never => {
      throw new Error('looked');
    };
    const hostile = new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap, ownKeys: trap });
    assert.equal(
      (await decideAccess(decider, 'ROLE_READER', { request, token, subject: hostile })).subject,
      'Proxy',
    );
  });

  it('accepts a condition instead of an attribute', async () => {
    const canFly = ({ roles }: { roles: ReadonlySet<string> }): boolean => roles.has('ROLE_READER');
    assert.equal((await decideAccess(decider, canFly, { request, token })).granted, true);
    const denied = await decideAccess(decider, canFly, { request, token: undefined });
    assert.deepEqual([denied.granted, denied.attribute], [false, 'canFly']);
  });
});

describe('voters', () => {
  const question = { request, token, subject: undefined, roles: reachableRoles(['ROLE_EDITOR']) };

  it('treat a remembered user as authenticated, but not fully', async () => {
    const voter = authenticatedVoter;
    const ask = async (attribute: string, changes: Partial<SecurityToken> = {}): Promise<string> =>
      (await voter.vote({ ...question, attribute, token: { ...token, ...changes } })).verdict;
    assert.equal(await ask('IS_AUTHENTICATED_FULLY'), 'grant');
    assert.equal(await ask('IS_AUTHENTICATED_FULLY', { strength: 'remembered' }), 'deny');
    assert.equal(await ask('IS_AUTHENTICATED_REMEMBERED', { strength: 'remembered' }), 'grant');
    assert.equal(await ask('IS_AUTHENTICATED', { strength: 'remembered' }), 'grant');
    assert.equal(await ask('IS_REMEMBERED', { strength: 'remembered' }), 'grant');
    assert.equal(await ask('IS_REMEMBERED'), 'deny');
    assert.equal(await ask('IS_IMPERSONATOR'), 'deny');
    assert.equal(await ask('IS_IMPERSONATOR', { impersonator: token }), 'grant');
  });
});

describe('roles', () => {
  it('include inherited roles at any depth, and cycles end', () => {
    assert.deepEqual(
      [...reachableRoles(['ROLE_ADMIN'])],
      ['ROLE_ADMIN', 'ROLE_EDITOR', 'ROLE_READER', 'ROLE_ADMIN_OF_NOTHING'],
    );
    assert.deepEqual([...reachableRoles(['ROLE_A'])].sort(), ['ROLE_A', 'ROLE_B']);
    assert.deepEqual([...reachableRoles(['constructor', '__proto__'])].sort(), ['__proto__', 'constructor']);
  });
});
