import assert from 'node:assert/strict';
import { randomBytes, scryptSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { hash as argon2 } from '@node-rs/argon2';
import { createPasswords, type PasswordHasher } from './passwords.js';

/** A scrypt hash as written by the built-in hasher, at a low cost. */
function scryptHash(password: string, exponent = 4): string {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: 2 ** exponent, r: 8, p: 1 });
  const [first, second] = [salt, key].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$scrypt$ln=${exponent},r=8,p=1$${first}$${second}`;
}

const reversed: PasswordHasher = {
  name: 'reversed',
  verify: async (hash, password) => hash === `$reversed$${password.split('').reverse().join('')}`,
  handles: (hash) => hash.startsWith('$reversed$'),
};

describe('createPasswords', () => {
  const passwords = createPasswords();

  it('hashes with argon2id at the recommended cost, each time with another salt', async () => {
    const hash = await passwords.hash('secret');
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.notEqual(await passwords.hash('secret'), hash);
  });

  it('verifies argon2id and scrypt hashes of any text, and refuses every other password', async () => {
    for (const password of ['secret', '', 'pässwörd 😀', 'x'.repeat(200), 'nul\0inside']) {
      for (const hash of [await passwords.hash(password), scryptHash(password)]) {
        assert.equal((await passwords.check(hash, password)).valid, true, hash);
        assert.equal((await passwords.check(hash, `${password} `)).valid, false, hash);
      }
    }
    assert.equal((await passwords.check(scryptHash('nul\0inside'), 'nul')).valid, false);
  });

  it('renews scrypt and lower-cost hashes only with the right password, and no others', async () => {
    const cheap = await argon2('secret', { memoryCost: 64, timeCost: 1, parallelism: 1 });
    for (const old of [cheap, scryptHash('secret')]) {
      const { valid, renewed } = await passwords.check(old, 'secret');
      assert.ok(valid && renewed?.startsWith('$argon2id$v=19$m=19456,'), old);
      assert.deepEqual(await passwords.check(old, 'wrong'), { valid: false });
    }
    assert.deepEqual(await passwords.check(await passwords.hash('secret'), 'secret'), { valid: true });
  });

  it('returns false, without failing, for an invalid hash', async () => {
    const hash = await passwords.hash('secret');
    const scrypt = scryptHash('secret');
    const broken = [
      '',
      'secret',
      '$unknown$form',
      hash.slice(0, -8),
      `${hash}x`,
      scrypt.slice(0, -8),
      `${scrypt}x`,
    ];
    for (const text of [...broken, hash.replace(/\d+/, '999999999'), undefined])
      assert.deepEqual(await passwords.check(text, 'secret'), { valid: false }, text);
  });

  it('refuses a stored hash whose cost would exhaust the process', async () => {
    assert.equal((await passwords.check(scryptHash('x').replace('ln=4', 'ln=31'), 'x')).valid, false);
  });

  it('verifies with an additional hasher, and replaces its hashes unless it creates new ones', async () => {
    const { valid, renewed } = await createPasswords([reversed]).check('$reversed$terces', 'secret');
    assert.ok(valid && renewed?.startsWith('$argon2id$'));
    const creating = createPasswords([{ ...reversed, hash: async () => '$reversed$new' }]);
    assert.equal(await creating.hash('any'), '$reversed$new');
    assert.deepEqual(await creating.check('$reversed$terces', 'secret'), { valid: true });
    assert.equal((await creating.check(scryptHash('secret'), 'secret')).renewed, '$reversed$new');
  });

  it('takes as long for an unknown user as for a known one', async () => {
    const work: string[] = [];
    const counting: PasswordHasher = {
      ...reversed,
      hash: async () => '$reversed$decoy',
      verify: async (hash) => {
        work.push(hash);
        return false;
      },
    };
    const checked = createPasswords([counting]);
    for (const stored of ['$reversed$decoy', undefined, '', 'no hash']) {
      work.length = 0;
      assert.equal((await checked.check(stored, 'guess')).valid, false);
      assert.deepEqual(work, ['$reversed$decoy'], String(stored));
    }
  });

  it('refuses passwords long enough to overload the CPU', async () => {
    await assert.rejects(passwords.hash('x'.repeat(4097)), { code: 'SECURITY_PASSWORD_TOO_LONG' });
    const hash = await passwords.hash('x'.repeat(4096));
    assert.equal((await passwords.check(hash, 'x'.repeat(4096))).valid, true);
    assert.equal((await passwords.check(hash, 'x'.repeat(4097))).valid, false);
  });

  it('computes two hashes at a time, lets a hundred wait, and answers further ones with 503', async () => {
    let [running, most] = [0, 0];
    const released: (() => void)[] = [];
    const { hash } = createPasswords([
      {
        ...reversed,
        async hash() {
          most = Math.max(most, ++running);
          await new Promise<void>((resolve) => released.push(resolve));
          running--;
          return 'hash';
        },
      },
    ]);
    const all = Array.from({ length: 110 }, () =>
      hash('x').catch((error: { status?: unknown }) => error.status),
    );
    const results = Promise.all(all);
    while (released.length > 0 || running > 0) {
      released.shift()?.();
      await new Promise(setImmediate);
    }
    const outcomes = await results;
    assert.equal(most, 2);
    assert.equal(outcomes.filter((one) => one === 'hash').length, 102);
    assert.equal(outcomes.filter((one) => one === 503).length, 8);
    const later = hash('x');
    released.shift()?.();
    assert.equal(await later, 'hash', 'the slots are free again');
  });
});
