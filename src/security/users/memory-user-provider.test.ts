import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryUserProvider } from './memory-user-provider.js';
import type { SecurityUser } from './user-provider.js';

const user = (identifier: string, passwordHash?: string): SecurityUser => ({
  identifier,
  roles: [],
  ...(passwordHash === undefined ? {} : { passwordHash }),
});

describe('users in a list', () => {
  it('can be added, replaced and removed, and are not changed themselves', async () => {
    const ada = user('ada', 'old');
    const provider = createMemoryUserProvider([ada]);
    await provider.savePasswordHash?.(ada, 'new');
    assert.equal((await provider.findUser('ada'))?.passwordHash, 'new');
    assert.equal(ada.passwordHash, 'old');
    await provider.savePasswordHash?.(user('nobody'), 'x');
    assert.equal(await provider.findUser('nobody'), undefined);
    provider.put(user('ada', 'third'));
    assert.equal((await provider.findUser('ada'))?.passwordHash, 'third');
    provider.remove('ada');
    assert.equal(await provider.findUser('ada'), undefined);
  });
});
