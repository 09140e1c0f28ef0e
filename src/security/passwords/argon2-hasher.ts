import { securityErrors } from '../errors/error-codes.js';
import type { PasswordHasher } from './password-hasher.js';

export interface Argon2Options {
  /** Memory in KiB. Default 19456 (OWASP's recommendation with two passes). */
  readonly memoryCost?: number;
  /** Number of passes. Default 2. */
  readonly timeCost?: number;
}

const hashPattern = /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=\d{1,3}\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;

/** Creates a hasher for argon2id (RFC 9106), which is computed by the optional package `@node-rs/argon2`. */
export function createArgon2Hasher(options: Argon2Options = {}): PasswordHasher {
  const settings = {
    memoryCost: options.memoryCost ?? 19_456,
    timeCost: options.timeCost ?? 2,
    parallelism: 1,
  };
  return {
    name: 'argon2id',
    async hash(password) {
      return (await loadArgon2()).hash(password, settings);
    },
    async verify(hash, password) {
      if (!hashPattern.test(hash)) return false;
      return (await loadArgon2()).verify(hash, password).catch(() => false);
    },
    handles: (hash) => hash.startsWith('$argon2'),
    isOutdated(hash) {
      const [, memory, time] = hashPattern.exec(hash) ?? [];
      return Number(memory ?? 0) < settings.memoryCost || Number(time ?? 0) < settings.timeCost;
    },
  };
}

/** Returns whether the package for argon2id can be loaded. */
export async function isArgon2Available(): Promise<boolean> {
  return loadArgon2().then(
    () => true,
    () => false,
  );
}

interface Argon2 {
  hash(password: string, options: object): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

let loading: Promise<Argon2> | undefined; // caches the loaded package

function loadArgon2(): Promise<Argon2> {
  loading ??= import('@node-rs/argon2').catch((cause: unknown) => {
    throw securityErrors.create('SECURITY_HASHER_UNAVAILABLE', { hasher: 'argon2id' }, { cause });
  });
  return loading;
}
