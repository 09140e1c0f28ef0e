import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest } from '#http';
import { createMemoryExpiringStore } from '../stores/expiring-store.js';
import { createApiKeys, createExpiringApiKeyStore } from './api-keys.js';

const request = new HttpRequest({
  method: 'GET',
  target: '/',
  rawHeaders: ['Host', 'localhost'],
  httpVersion: '1.1',
  peer: { address: '127.0.0.1', port: 1, encrypted: false },
});

describe('API keys', () => {
  const made = (): ReturnType<typeof createApiKeys> =>
    createApiKeys({ store: createExpiringApiKeyStore(createMemoryExpiringStore()), prefix: 'shop' });

  it('let their owner in until they are revoked, by that owner', async () => {
    const keys = made();
    const { key, stored } = await keys.create('ada', { label: 'laptop' });
    assert.match(key, /^shop_[0-9a-f]{24}_[\w-]{43}$/);
    assert.deepEqual(await keys.handler.findOwner(key, request), { identifier: 'ada' });
    assert.deepEqual(await keys.list('ada'), [stored]);
    await keys.revoke('eve', stored.id);
    assert.deepEqual(await keys.handler.findOwner(key, request), { identifier: 'ada' });
    await keys.revoke('ada', stored.id);
    assert.equal(await keys.handler.findOwner(key, request), undefined);
    assert.deepEqual(await keys.list('ada'), []);
  });

  it('are stored without what lets anyone in', async () => {
    const keys = made();
    const { key, stored } = await keys.create('ada');
    const secret = key.split('_').slice(2).join('_');
    assert.ok(!JSON.stringify(stored).includes(secret));
    assert.equal(await keys.handler.findOwner(`shop_${stored.id}_${stored.secretHash}`, request), undefined);
  });

  it('end', async () => {
    const keys = made();
    const { key, stored } = await keys.create('ada', { lifetimeSeconds: 3600 });
    assert.ok(Math.abs((stored.expiresAt ?? 0) - Date.now() - 3_600_000) < 5000);
    assert.deepEqual(await keys.handler.findOwner(key, request), { identifier: 'ada' });
    const table = new Map([[stored.id, { ...stored, expiresAt: Date.now() - 1 }]]);
    const late = createApiKeys({
      prefix: 'shop',
      store: {
        add: () => undefined,
        find: (id) => table.get(id),
        list: () => [],
        remove: () => undefined,
      },
    });
    await assert.rejects(async () => late.handler.findOwner(key, request), { reason: 'expired' });
  });

  it('are a hundred for an owner at most, and each of another one', async () => {
    const keys = made();
    for (let count = 0; count < 100; count++) await keys.create('ada');
    await assert.rejects(keys.create('ada'), { code: 'SECURITY_TOO_MANY_API_KEYS' });
    const listed = await keys.list('ada');
    assert.equal(listed.length, 100);
    await keys.create('bob');
    await keys.revoke('ada', listed[0]?.id ?? '');
    await keys.create('ada');
  });

  it('that are made at once are all listed', async () => {
    const keys = made();
    const given = await Promise.all(Array.from({ length: 12 }, () => keys.create('ada')));
    const ids = (await keys.list('ada')).map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), given.map(({ stored }) => stored.id).toSorted());
  });

  it('are looked for by their whole form, whatever comes', async () => {
    const keys = made();
    const { key } = await keys.create('ada');
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: key.length - 1 }),
        fc.constantFrom('a', 'Z', '0', '_', '-', '.', '$', '\n', ' '),
        async (at, character) => {
          const other = key.slice(0, at) + character + key.slice(at + 1);
          if (other !== key) assert.equal(await keys.handler.findOwner(other, request), undefined, other);
        },
      ),
    );
    for (const bad of [`${key}x`, `${key}\n`, ` ${key}`, key.toUpperCase(), ''])
      assert.equal(await keys.handler.findOwner(bad, request), undefined);
  });

  it('have a prefix that can be searched for', () => {
    const store = createExpiringApiKeyStore(createMemoryExpiringStore());
    for (const prefix of ['', 'a_b', 'x'.repeat(21), '$', '.*'])
      assert.throws(() => createApiKeys({ store, prefix }), { code: 'SECURITY_BAD_OPTION' }, prefix);
  });
});
