import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLookupUserProvider, createMemoryUserProvider, type SecurityUser } from './user-provider.js';

const user = (identifier: string, passwordHash?: string): SecurityUser => ({
  identifier,
  roles: [],
  ...(passwordHash === undefined ? {} : { passwordHash }),
});

describe('users in a list', () => {
  it('can be added, replaced and removed, and are not modified themselves', async () => {
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

describe('users from a function', () => {
  it('must have exactly the requested identifier', async () => {
    const provider = createLookupUserProvider((identifier) =>
      identifier.toLowerCase() === 'ada' ? user('ada') : null,
    );
    assert.equal((await provider.findUser('ada'))?.identifier, 'ada');
    assert.equal(await provider.findUser('ADA'), undefined);
    assert.equal(await provider.findUser('bob'), undefined);
    assert.deepEqual([provider.name, provider.savePasswordHash], ['lookup', undefined]);
  });

  it('get new hashes if the application can store them', async () => {
    const saved: string[] = [];
    const provider = createLookupUserProvider(() => user('ada'), {
      name: 'table',
      savePasswordHash: (one, hash) => void saved.push(`${one.identifier} ${hash}`),
    });
    await provider.savePasswordHash?.(user('ada'), 'new');
    assert.deepEqual([provider.name, saved], ['table', ['ada new']]);
  });
});
