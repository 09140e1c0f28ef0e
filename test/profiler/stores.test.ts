import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createMemoryStore, createSqliteStore, createStore } from '#profiler';
import { checkProfileStore, makeSegment } from '#testing';

const folder = mkdtempSync(join(tmpdir(), 'lookback-stores-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

describe('stores of records', () => {
  for (const { name, run } of checkProfileStore((retention) => createMemoryStore(retention)))
    it(`memory: ${name}`, run);
  for (const { name, run } of checkProfileStore((retention = {}) =>
    createSqliteStore(join(folder, `deep/er/${files++}.db`), { retention }),
  ))
    it(`sqlite: ${name}`, run);

  it('are made from an address', async () => {
    for (const address of ['memory:', `sqlite:${join(folder, 'address.db')}`]) {
      const store = createStore(address);
      assert.equal((await store.lease(3)).from, 0);
      await store.close();
    }
    for (const address of ['', 'sqlite:', 'redis://x', 'sqlite://host/path', 'memory', 'memory:x'])
      assert.throws(() => createStore(address), { code: 'PROFILER_STORE_ADDRESS' }, address);
  });

  it('a file is the same to the next process: numbers go on, records and reasons are there', async () => {
    const path = join(folder, 'again.db');
    const first = createSqliteStore(path, { retention: { records: 1 } });
    const { from, to, secret } = await first.lease(10);
    const [one, two] = [
      { ...(await makeSegment([{ path: '/one' }])), number: 0, keys: [from] },
      { ...(await makeSegment([{ path: '/two' }])), number: 1, keys: [from + 1] },
    ];
    await first.write([one, two]);
    await first.close();
    const second = createSqliteStore(path);
    const next = await second.lease(10);
    assert.equal(next.secret, secret);
    assert.ok(next.from >= to);
    assert.equal(await second.find(from), 'count');
    assert.equal(typeof (await second.find(from + 1)), 'object');
    // Its own numbers of segments begin anew.
    assert.equal((await second.write([{ ...one, keys: [next.from] }])).records, 2);
    await second.close();
  });
});
