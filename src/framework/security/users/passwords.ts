import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { ServiceUnavailableError } from '#core/errors';
import { checkValue, listOf, objectWith } from '#core/options';
import { loadOnce } from '#core/patches';
import { securityErrors } from '../secrets/error-codes.js';

/**
 * Port: one algorithm for password hashes, e.g. bcrypt for an older application's hashes. A hash contains its algorithm
 * and cost, so that old hashes stay verifiable.
 */
export interface PasswordHasher {
  readonly name: string;
  /** Returns a salted hash; two hashes of the same password differ. Omit it to only verify existing hashes. */
  hash?(password: string): Promise<string>;
  /** Returns whether the hash matches the password; false for a malformed hash. */
  verify(hash: string, password: string): Promise<boolean>;
  /** Returns whether this hasher can verify the hash. */
  handles(hash: string): boolean;
  /** Returns whether a hash has a lower cost than new hashes. Default: never. */
  isOutdated?(hash: string): boolean | Promise<boolean>;
}

const passwordHasher = objectWith<PasswordHasher>('a PasswordHasher', 'verify', 'handles');

/** Hashes and verifies passwords. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Checks a password. Without a hash (an unknown user, or a user without a password) it is invalid, and the check
   * takes the same time. `renewed` is a new hash to store if the old one has another algorithm or a lower cost.
   */
  check(hash: string | undefined, password: string): Promise<{ valid: boolean; renewed?: string }>;
}

/** Maximum length in UTF-8 bytes; longer passwords are refused before hashing. */
const maxPasswordBytes = 4096;
/** Concurrent hash computations: each takes one of Node's four threads for files and names, and scrypt 128 MiB. */
const maxAtOnce = 2;
/** Maximum number of waiting hashes; further ones fail with 503. */
const maxWaiting = 100;

/**
 * Creates the password checks: argon2id (RFC 9106) if the optional package `@node-rs/argon2` is installed, otherwise
 * scrypt (RFC 7914), which is part of Node; hashes of either are verified. `hashers` take precedence: the first one
 * with `hash` creates new hashes, and one without it only verifies. Two hashes are computed at a time and a hundred
 * wait; beyond that, a `ServiceUnavailableError` is thrown.
 */
export function createPasswords(hashers: readonly PasswordHasher[] = []): Passwords {
  checkValue('createPasswords()', 'hashers', hashers, listOf(passwordHasher));
  const known = [...hashers, builtInHasher];
  const best = hashers.find((one) => one.hash !== undefined) ?? builtInHasher;
  const inTurn = createTurns();
  const create = (password: string): Promise<string> =>
    inTurn('Hash a password', async () => (await best.hash?.(password)) ?? '');
  const decoyHash = loadOnce(() => create('decoy')); // verified for unknown users, so that they take as long as known ones

  return {
    async hash(password) {
      const length = Buffer.byteLength(password);
      if (length > maxPasswordBytes)
        throw securityErrors.create('SECURITY_PASSWORD_TOO_LONG', { length, limit: maxPasswordBytes });
      return create(password);
    },
    async check(hash, password) {
      const decoyed = await decoyHash();
      if (Buffer.byteLength(password) > maxPasswordBytes) return { valid: false };
      const maker = known.find((hasher) => hash !== undefined && hasher.handles(hash));
      if (hash === undefined || maker === undefined) {
        await inTurn('Check a password', () => best.verify(decoyed, password));
        return { valid: false };
      }
      if (!(await inTurn('Check a password', () => maker.verify(hash, password)))) return { valid: false };
      if (best === maker && (await maker.isOutdated?.(hash)) !== true) return { valid: true };
      return { valid: true, renewed: await create(password) };
    },
  };
}

type InTurn = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/** A request's spans, published when they have ended, on the `performance.now` clock. */
const spans = channel('lookback:span');
/** A shorter wait for a turn is not reported. */
const minWaitMs = 1;

function publishSpan(name: string, startedAt: number): void {
  spans.publish({ name, startedAt, durationMs: performance.now() - startedAt });
}

/** Creates a function that runs at most `maxAtOnce` tasks at a time, in call order. */
function createTurns(): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (name, work) => {
    const askedAt = performance.now();
    if (running < maxAtOnce) running++;
    else if (waiting.length < maxWaiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw new ServiceUnavailableError(1, 'Too many passwords are being checked.');
    const startedAt = performance.now();
    if (startedAt - askedAt >= minWaitMs) publishSpan('Wait for other passwords', askedAt);
    try {
      return await work();
    } finally {
      publishSpan(name, startedAt);
      const next = waiting.shift();
      if (next === undefined) running--;
      else next(); // passes on the slot
    }
  };
}

/** argon2id's memory in KiB and passes: OWASP's recommendation. */
const argon2Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const argon2Pattern =
  /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=\d{1,3}\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;
/**
 * scrypt's cost in CPU and memory, as an exponent of two: OWASP's recommendation with r=8, p=1, which takes 128 MiB.
 */
const scryptExponent = 17;
const scryptPattern = /^\$scrypt\$ln=(\d{1,2}),r=8,p=1\$([A-Za-z0-9+/]{16,88})\$([A-Za-z0-9+/]{43})$/;

const builtInHasher: PasswordHasher = {
  name: 'argon2id or scrypt',
  async hash(password) {
    const argon2 = await findArgon2();
    if (argon2 !== undefined) return argon2.hash(password, argon2Cost);
    const salt = randomBytes(16);
    const key = await deriveKey(password, salt, scryptExponent);
    return `$scrypt$ln=${scryptExponent},r=8,p=1$${unpadded(salt)}$${unpadded(key)}`;
  },
  async verify(hash, password) {
    if (hash.startsWith('$scrypt$')) return verifyScrypt(hash, password);
    if (!argon2Pattern.test(hash)) return false;
    return (await loadArgon2()).verify(hash, password).catch(() => false);
  },
  handles: (hash) => hash.startsWith('$argon2') || hash.startsWith('$scrypt$'),
  async isOutdated(hash) {
    const [, memory, passes] = argon2Pattern.exec(hash) ?? [];
    if (memory !== undefined)
      return Number(memory) < argon2Cost.memoryCost || Number(passes) < argon2Cost.timeCost;
    return (await findArgon2()) !== undefined || Number(scryptPattern.exec(hash)?.[1] ?? 0) < scryptExponent;
  },
};

interface Argon2 {
  hash(password: string, options: object): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

function loadArgon2(): Promise<Argon2> {
  return import('@node-rs/argon2').catch((cause: unknown) => {
    throw securityErrors.create('SECURITY_HASHER_UNAVAILABLE', { hasher: 'argon2id' }, { cause });
  });
}

const findArgon2 = (): Promise<Argon2 | undefined> => loadArgon2().catch(() => undefined);

async function verifyScrypt(hash: string, password: string): Promise<boolean> {
  const [, exponent = '', salt = '', key = ''] = scryptPattern.exec(hash) ?? [];
  // More than 2^20 (1 GiB) would let a manipulated hash in the database exhaust the process's memory.
  if (!(Number(exponent) >= 1 && Number(exponent) <= 20)) return false;
  const derived = await deriveKey(password, Buffer.from(salt, 'base64'), Number(exponent));
  return timingSafeEqual(derived, Buffer.from(key, 'base64'));
}

function deriveKey(password: string, salt: Buffer, exponent: number): Promise<Buffer> {
  const cost = 2 ** exponent;
  const options = { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/(?<!=)=+$/, '');
}
