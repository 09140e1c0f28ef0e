import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createSigner } from '../secrets/signed-cookies.js';
import type { SecurityUser, UserProvider } from '../users/user-provider.js';
import type { SecurityToken } from '../authentication/authenticator.js';
import { parseStoredToken, restoreToken, storeToken } from './session-token.js';

const signer = createSigner('a secret of thirty-two characters!', 'the test');
const ada: SecurityUser = { identifier: 'ada', roles: ['ROLE_B', 'ROLE_A'], passwordHash: 'hash' };
const boss: SecurityUser = { identifier: 'boss', roles: ['ROLE_ADMIN'], passwordHash: 'other' };

const tokenOf = (user: SecurityUser, impersonator?: SecurityToken): SecurityToken => ({
  user,
  firewall: 'main',
  authenticator: 'form-login',
  strength: 'full',
  impersonator,
});

function providerOf(...users: readonly SecurityUser[]): UserProvider {
  return {
    name: 'list',
    findUser: (identifier) => users.find((user) => user.identifier === identifier),
  };
}

const restore = (
  token: SecurityToken,
  ...users: readonly SecurityUser[]
): ReturnType<typeof restoreToken> => {
  const stored = parseStoredToken(JSON.parse(JSON.stringify(storeToken(signer, token))));
  assert.ok(stored !== undefined);
  return restoreToken(stored, signer, { provider: providerOf(...users), name: 'main', eras: undefined });
};

describe('the token stored in a session', () => {
  it("is restored with the user's current data", async () => {
    const now = { ...ada, roles: ['ROLE_A', 'ROLE_B'] };
    const restored = await restore(tokenOf(ada), now);
    assert.ok(restored.token !== undefined);
    assert.equal(restored.token.user, now);
    assert.deepEqual([restored.token.authenticator, restored.token.strength], ['form-login', 'full']);
  });

  it('contains neither the password nor the roles that count', () => {
    const text = JSON.stringify(storeToken(signer, tokenOf(ada)));
    assert.ok(!text.includes('hash"') && !text.includes(ada.passwordHash ?? ''));
    assert.doesNotMatch(text, /ROLE_/);
  });

  it('says why a user is no longer admitted', async () => {
    for (const [users, reason] of [
      [[], 'the user no longer exists'],
      [[{ ...ada, isEnabled: false }], 'the user is disabled'],
      [[{ ...ada, passwordHash: 'new' }], 'the password has changed'],
      [[{ ...ada, passwordHash: undefined }], 'the password has changed'],
    ] as const) {
      const restored = await restore(tokenOf(ada), ...users);
      assert.equal(restored.token, undefined);
      assert.equal(restored.reason, reason);
    }
  });

  it("has the current roles, including the impersonator's", async () => {
    const demoted = { ...boss, roles: [] };
    const promoted = { ...ada, roles: ['ROLE_C'] };
    const restored = await restore(tokenOf(ada, tokenOf(boss)), promoted, demoted);
    assert.deepEqual(restored.token?.user.roles, ['ROLE_C']);
    assert.equal(restored.token.impersonator?.user, demoted);
  });

  it('ends with the impersonator', async () => {
    const restored = await restore(tokenOf(ada, tokenOf(boss)), ada);
    assert.equal(restored.token, undefined);
    assert.equal(restored.identifier, 'boss');
  });

  it('is read from any stored data, completely or not at all', () => {
    const stored = storeToken(signer, tokenOf(ada, tokenOf(boss)));
    assert.deepEqual(parseStoredToken(stored), stored);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const token = parseStoredToken(value);
        if (token !== undefined) assert.equal(typeof token.identifier, 'string');
      }),
    );
    for (const name of ['identifier', 'authenticator', 'strength', 'fingerprint'] as const) {
      for (const bad of [undefined, null, 1, {}, 'x'])
        if (typeof bad !== typeof stored[name] || name === 'strength')
          assert.equal(parseStoredToken({ ...stored, [name]: bad }), undefined, `${name}: ${typeof bad}`);
      assert.equal(
        parseStoredToken({ ...stored, impersonator: { ...stored.impersonator, [name]: undefined } }),
        undefined,
        'dropping a broken impersonator would turn impersonation into a real login',
      );
    }
  });
});
