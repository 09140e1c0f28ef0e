import { describe, it } from 'node:test';
import {
  createArgon2Hasher,
  createChainUserProvider,
  createLookupUserProvider,
  createMemoryUserProvider,
  createScryptHasher,
  type SecurityUser,
  type UserProvider,
} from '#security';
import { checkPasswordHasher, checkUserProvider } from '#testing';

const ada: SecurityUser = { identifier: 'ada', roles: ['ROLE_EDITOR'], passwordHash: 'old' };

describe('password hashers keep their contract', () => {
  const argon2 = createArgon2Hasher({ memoryCost: 128, timeCost: 1 });
  const scrypt = createScryptHasher({ costExponent: 5 });
  for (const { name, run } of checkPasswordHasher(
    argon2,
    createArgon2Hasher({ memoryCost: 64, timeCost: 1 }),
  )) {
    it(`argon2id ${name}`, run);
  }
  for (const { name, run } of checkPasswordHasher(scrypt, createScryptHasher({ costExponent: 4 }))) {
    it(`scrypt ${name}`, run);
  }
});

describe('user providers keep their contract', () => {
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
    chain: createChainUserProvider([createMemoryUserProvider([{ identifier: 'bob', roles: [] }]), lookup()]),
  };
  for (const [which, provider] of Object.entries(providers)) {
    for (const { name, run } of checkUserProvider(provider, 'ada')) it(`${which} ${name}`, run);
  }
});
