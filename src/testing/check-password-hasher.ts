import assert from 'node:assert/strict';
import type { PasswordHasher } from '#security';
import { type ContractCase, createContract } from './contract-case.js';

/** The contract suite of `PasswordHasher`. `cheaper` is a hasher for the same algorithm at a lower cost. */
export function checkPasswordHasher(
  hasher: PasswordHasher,
  cheaper: PasswordHasher,
): readonly ContractCase[] {
  return createContract({
    async 'verifies its own hashes, of any text'() {
      for (const password of ['secret', '', 'pässwörd 😀', 'x'.repeat(200), 'nul\0inside']) {
        const hash = await hasher.hash(password);
        assert.ok(hasher.handles(hash));
        assert.equal(await hasher.verify(hash, password), true);
        assert.equal(await hasher.verify(hash, `${password} `), false);
        assert.ok(!password || !hash.includes(password));
      }
      assert.equal(await hasher.verify(await hasher.hash('nul\0inside'), 'nul'), false);
    },
    async 'salts: two hashes of one password differ'() {
      assert.notEqual(await hasher.hash('secret'), await hasher.hash('secret'));
    },
    async 'calls hashes of a lower cost outdated, and verifies them'() {
      const old = await cheaper.hash('secret');
      assert.equal(hasher.isOutdated(old), true);
      assert.equal(hasher.isOutdated(await hasher.hash('secret')), false);
      assert.equal(await hasher.verify(old, 'secret'), true);
    },
    async 'is false, and does not fail, for what is no hash'() {
      const hash = await hasher.hash('secret');
      for (const broken of ['', 'secret', hash.slice(0, -8), `${hash}x`, hash.replace(/\d+/, '999999999')]) {
        assert.equal(await hasher.verify(broken, 'secret'), false, broken);
      }
      assert.equal(hasher.handles('plain'), false);
    },
  });
}
