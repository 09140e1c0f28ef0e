import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createLookupUserProvider,
  createMemoryUserProvider,
  type SecurityUser,
  type UserProvider,
} from 'lookback/security';
import { checkUserProvider } from '../contracts/check-user-provider.js';

const ada: SecurityUser = { identifier: 'ada', roles: ['ROLE_EDITOR'], passwordHash: 'old' };

describe('user providers satisfy their contract', () => {
  const lookup = (): UserProvider => {
    let user = ada;
    // Compares without case, as many databases do.
    return createLookupUserProvider((name) => (name.trim().toLowerCase() === 'ada' ? user : null), {
      savePasswordHash: (_user, passwordHash) => void (user = { ...user, passwordHash }),
    });
  };
  const providers = {
    memory: createMemoryUserProvider([ada]),
    lookup: lookup(),
  };
  for (const [which, provider] of Object.entries(providers)) {
    for (const { name, run } of checkUserProvider(provider, 'ada')) it(`${which} ${name}`, run);
  }

  it('a lookup is not called with text that no database can store', async () => {
    const refusing = createLookupUserProvider(() => assert.fail('the lookup was called'));
    assert.equal(await refusing.findUser('ada\0'), undefined);
  });
});
