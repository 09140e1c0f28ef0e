import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createChainUserProvider } from './chain-user-provider.js';
import { createMemoryUserProvider } from './memory-user-provider.js';
import type { SecurityUser } from './user-provider.js';

const user = (identifier: string, passwordHash?: string): SecurityUser => ({
  identifier,
  roles: [],
  ...(passwordHash === undefined ? {} : { passwordHash }),
});

describe('users of several providers', () => {
  it('come from the first that knows them, which keeps their hashes', async () => {
    const [first, second] = [
      createMemoryUserProvider([user('ada', 'first')]),
      createMemoryUserProvider([user('ada', 'second'), user('bob', 'second')]),
    ];
    const chain = createChainUserProvider([first, second]);
    assert.equal(chain.name, 'memory, memory');
    assert.equal((await chain.findUser('ada'))?.passwordHash, 'first');
    assert.equal((await chain.findUser('bob'))?.passwordHash, 'second');
    assert.equal(await chain.findUser('eve'), undefined);
    for (const identifier of ['ada', 'bob', 'eve']) await chain.savePasswordHash?.(user(identifier), 'new');
    assert.equal((await first.findUser('ada'))?.passwordHash, 'new');
    assert.equal((await second.findUser('ada'))?.passwordHash, 'second');
    assert.equal((await second.findUser('bob'))?.passwordHash, 'new');
  });
});
