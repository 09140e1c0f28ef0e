import assert from 'node:assert/strict';
import type { UserProvider } from 'lookback/security';
import { type ContractCase, createContract } from './contract-case.js';

/** The contract suite for `UserProvider`. `identifier` must belong to an existing user. */
export function checkUserProvider(provider: UserProvider, identifier: string): readonly ContractCase[] {
  return createContract({
    async 'finds a user only by the exact identifier'() {
      const user = await provider.findUser(identifier);
      assert.equal(user?.identifier, identifier);
      assert.ok(Array.isArray(user.roles));
      for (const other of [
        '',
        `${identifier} `,
        ` ${identifier}`,
        `${identifier}\0`,
        identifier.toUpperCase() === identifier ? identifier.toLowerCase() : identifier.toUpperCase(),
        `${identifier}' OR '1'='1`,
        '%',
        '__proto__',
        'constructor',
      ]) {
        assert.equal(await provider.findUser(other), undefined, JSON.stringify(other));
      }
    },
    async 'returns a new password hash after saving it, if it can save'() {
      const user = await provider.findUser(identifier);
      if (user === undefined || provider.savePasswordHash === undefined) return;
      await provider.savePasswordHash(user, 'renewed');
      assert.equal((await provider.findUser(identifier))?.passwordHash, 'renewed');
    },
  });
}
