import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isServerAddress, isStoreAddress, storeNameOf } from './store-name.js';

describe("a store's address", () => {
  it('is memory, a SQLite file or a PostgreSQL server', () => {
    for (const address of ['memory:', 'sqlite:a', 'postgres://a/b', 'postgresql:///app?host=/run/postgresql'])
      assert.equal(isStoreAddress(address), true, address);
    for (const address of [
      '',
      'memory',
      'memory:x',
      'sqlite:',
      'mysql://a/b',
      'postgres:',
      'postgres://a:x/b',
    ])
      assert.equal(isStoreAddress(address), false, address);
    assert.deepEqual(['memory:', 'sqlite:a', 'postgres://a/b'].map(isServerAddress), [false, false, true]);
  });

  it('is shown without password and parameters', () => {
    assert.deepEqual(
      [
        'memory:',
        'sqlite:/a?b',
        'postgres://ada:s3cret@db:5432/app?ssl=1',
        'postgres://ada@db/app',
        'postgres:///app#x',
        'postgres://a:p@q@db/x',
      ].map(storeNameOf),
      [
        'memory:',
        'sqlite:/a?b',
        'postgres://ada@db:5432/app',
        'postgres://ada@db/app',
        'postgres:///app',
        'postgres://a@db/x',
      ],
    );
  });
});
