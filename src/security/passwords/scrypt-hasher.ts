import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { PasswordHasher } from './password-hasher.js';

export interface ScryptOptions {
  /**
   * Cost in work and memory, as an exponent of two: 17 takes 128 MiB. Default 17 (OWASP's recommendation with r=8, p=1).
   */
  readonly costExponent?: number;
}

interface Parsed {
  readonly exponent: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

const hashPattern = /^\$scrypt\$ln=(\d{1,2}),r=8,p=1\$([A-Za-z0-9+/]{16,88})\$([A-Za-z0-9+/]{43})$/;
const keyBytes = 32;

/** Creates a hasher for scrypt (RFC 7914), which is part of Node. Format: `$scrypt$ln=17,r=8,p=1$salt$key`. */
export function createScryptHasher(options: ScryptOptions = {}): PasswordHasher {
  const exponent = options.costExponent ?? 17;
  return {
    name: 'scrypt',
    async hash(password) {
      const salt = randomBytes(16);
      const key = await derive(password, salt, exponent);
      return `$scrypt$ln=${exponent},r=8,p=1$${unpadded(salt)}$${unpadded(key)}`;
    },
    async verify(hash, password) {
      const parsed = parseHash(hash);
      if (parsed === undefined) return false;
      return timingSafeEqual(await derive(password, parsed.salt, parsed.exponent), parsed.key);
    },
    handles: (hash) => hash.startsWith('$scrypt$'),
    isOutdated: (hash) => (parseHash(hash)?.exponent ?? 0) < exponent,
  };
}

function parseHash(hash: string): Parsed | undefined {
  const [, exponent, salt, key] = hashPattern.exec(hash) ?? [];
  if (exponent === undefined || salt === undefined || key === undefined) return undefined;
  // More than 2^20 (1 GiB) would let a manipulated hash in the database stop the process.
  if (Number(exponent) < 1 || Number(exponent) > 20) return undefined;
  return {
    exponent: Number(exponent),
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
}

function derive(password: string, salt: Buffer, exponent: number): Promise<Buffer> {
  const cost = 2 ** exponent;
  return new Promise((resolve, reject) => {
    const options = { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 };
    scrypt(password, salt, keyBytes, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
