import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileRoleHierarchy } from './role-voter.js';

const reachableRoles = compileRoleHierarchy({
  ROLE_ADMIN: ['ROLE_EDITOR'],
  ROLE_EDITOR: ['ROLE_READER'],
  ROLE_READER: ['ROLE_ADMIN_OF_NOTHING'],
  ROLE_A: ['ROLE_B'],
  ROLE_B: ['ROLE_A'],
});

describe('roles', () => {
  it('include what the hierarchy says, however deep, and circles end', () => {
    assert.deepEqual(
      [...reachableRoles(['ROLE_ADMIN'])],
      ['ROLE_ADMIN', 'ROLE_EDITOR', 'ROLE_READER', 'ROLE_ADMIN_OF_NOTHING'],
    );
    assert.deepEqual([...reachableRoles(['ROLE_A'])].sort(), ['ROLE_A', 'ROLE_B']);
    assert.deepEqual([...reachableRoles(['constructor', '__proto__'])].sort(), ['__proto__', 'constructor']);
  });
});
