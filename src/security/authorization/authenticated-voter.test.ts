import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#http';
import type { SecurityToken } from '../authentication/authenticator.js';
import { createAuthenticatedVoter } from './authenticated-voter.js';
import { compileRoleHierarchy } from './role-voter.js';

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

describe('voters', () => {
  const question = { request, token, subject: undefined, roles: reachableRoles(['ROLE_EDITOR']) };

  it('a remembered user is authenticated, and not fully', async () => {
    const voter = createAuthenticatedVoter();
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
