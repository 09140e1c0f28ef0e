import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createArgon2Hasher } from './argon2-hasher.js';
import type { PasswordHasher } from './password-hasher.js';
import { createPasswords } from './passwords.js';
import { createScryptHasher } from './scrypt-hasher.js';

const cheapArgon2 = createArgon2Hasher({ memoryCost: 64, timeCost: 1 });
const cheapScrypt = createScryptHasher({ costExponent: 4 });

describe('password hashers', () => {
  it('take the recommended costs when nothing is said', async () => {
    assert.match(await createArgon2Hasher().hash('x'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.match(await createScryptHasher().hash('x'), /^\$scrypt\$ln=17,r=8,p=1\$/);
  });
});

describe('createPasswords', () => {
  it('says yes to the right password, no to all else, and brings old hashes up to date', async () => {
    const passwords = createPasswords([cheapArgon2, cheapScrypt]);
    const current = await passwords.hash('secret');
    const old = await cheapScrypt.hash('secret');
    assert.deepEqual(await passwords.check(current, 'secret'), { valid: true });
    assert.deepEqual(await passwords.check(current, 'Secret'), { valid: false });
    assert.deepEqual(await passwords.check('$unknown$form', 'secret'), { valid: false });
    assert.deepEqual(await passwords.check(undefined, 'secret'), { valid: false });
    const { valid, renewed } = await passwords.check(old, 'secret');
    assert.ok(valid && renewed?.startsWith('$argon2id$'));
    assert.deepEqual(await passwords.check(old, 'wrong'), { valid: false });
  });

  it('works as hard for an unknown user as for a known one', async () => {
    const work: string[] = [];
    const counting: PasswordHasher = {
      ...cheapScrypt,
      verify: async (hash, password) => {
        work.push(hash.slice(0, 16));
        return cheapScrypt.verify(hash, password);
      },
    };
    const passwords = createPasswords([counting]);
    const hash = await passwords.hash('secret');
    for (const stored of [hash, undefined, '', 'no hash']) {
      work.length = 0;
      assert.equal((await passwords.check(stored, 'guess')).valid, false);
      assert.deepEqual(work, [hash.slice(0, 16)], String(stored));
    }
  });

  it('refuses passwords that are only meant to keep the processor busy', async () => {
    const passwords = createPasswords([cheapScrypt]);
    await assert.rejects(passwords.hash('x'.repeat(4097)), { code: 'SECURITY_PASSWORD_TOO_LONG' });
    const hash = await passwords.hash('x'.repeat(4096));
    assert.equal((await passwords.check(hash, 'x'.repeat(4096))).valid, true);
    assert.equal((await passwords.check(hash, 'x'.repeat(4097))).valid, false);
  });

  it('does not follow a stored hash into a cost that would stop the process', async () => {
    assert.equal(
      await cheapScrypt.verify((await cheapScrypt.hash('x')).replace('ln=4', 'ln=31'), 'x'),
      false,
    );
  });
});
