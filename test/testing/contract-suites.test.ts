import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from 'lookback';
import {
  type AccessQuestion,
  AuthenticationError,
  type Badge,
  type Authenticator,
  createLoginThrottle,
  createMemoryExpiringStore,
  type ExpiringStore,
  httpBasic,
  type LoginThrottle,
  type UserProvider,
  type Voter,
} from 'lookback/security';
import { checkAuthenticator } from '../contracts/check-authenticator.js';
import { checkExpiringStore } from '../contracts/check-expiring-store.js';
import { checkLoginThrottle } from '../contracts/check-login-throttle.js';
import { checkUserProvider } from '../contracts/check-user-provider.js';
import { checkVoter } from '../contracts/check-voter.js';
import type { ContractCase } from '../contracts/contract-case.js';

/** The first case that an implementation fails. */
async function brokenBy(cases: readonly ContractCase[]): Promise<string | undefined> {
  for (const { name, run } of cases) {
    try {
      await run();
    } catch {
      return name;
    }
  }
  return undefined;
}

/** A suite is useful if a correct implementation passes, and each of these faults is detected. */
function finds<Port>(
  suite: (port: Port) => readonly ContractCase[],
  right: () => Port,
  faults: Readonly<Record<string, (port: Port) => Partial<Port>>>,
): void {
  it('passes a correct implementation', async () => {
    assert.equal(await brokenBy(suite(right())), undefined);
  });
  for (const [fault, change] of Object.entries(faults)) {
    it(`detects one that ${fault}`, async () => {
      const port = right();
      const broken = await brokenBy(suite({ ...port, ...change(port) }));
      assert.ok(broken !== undefined, 'no case detected the fault');
    });
  }
}

describe('the contract suite for expiring stores', () => {
  finds<ExpiringStore>(
    (store) => checkExpiringStore(() => store),
    () => createMemoryExpiringStore(),
    {
      'forgets nothing': ({ put, take }) => ({
        put: (key, value, options) => put(key, value, { ...options, lifetime: options.lifetime + 1e6 }),
        take: (key, limit, lifetime) => take(key, limit, lifetime + 1e6),
      }),
      'puts whatever was expected': ({ put }) => ({
        put: (key, value, { lifetime }) => put(key, value, { lifetime }),
      }),
      'removes whatever was expected': ({ remove }) => ({ remove: (key) => remove(key) }),
      'calls every removal done': ({ remove }) => ({
        async remove(key, expected) {
          await remove(key, expected);
          return true;
        },
      }),
      'ignores the case of keys': ({ get, put }) => ({
        get: (key) => get(key.toLowerCase()),
        put: (key, value, options) => put(key.toLowerCase(), value, options),
      }),
      'changes what it keeps': ({ put }) => ({
        put: (key, value, options) => put(key, value.trim(), options),
      }),
      'grants one slot too many': ({ take }) => ({
        take: (key, limit, lifetime) => take(key, limit + 1, lifetime),
      }),
      'counts all keys together': ({ take }) => ({
        take: (_key, limit, lifetime) => take('all of them', limit, lifetime),
      }),
      'keeps no slot': ({ settle }) => ({
        settle: (key, how) => settle(key, how === 'keep' ? 'free' : how),
      }),
      'releases no slot': ({ settle }) => ({
        settle: (key, how) => settle(key, how === 'free' ? 'keep' : how),
      }),
      'clears nothing': ({ settle }) => ({
        settle: (key, how) => settle(key, how === 'clear' ? 'free' : how),
      }),
      'creates entries by extending them': ({ extend, get, put }) => ({
        async extend(key, lifetime) {
          if ((await get(key)) === undefined) await put(key, '', { lifetime });
          else await extend(key, lifetime);
        },
      }),
      'extends nothing': () => ({ extend: () => undefined }),
      'says a wrong end': ({ get }) => ({
        async get(key) {
          const entry = await get(key);
          return entry && { ...entry, endsIn: entry.endsIn / 1000 };
        },
      }),
      'checks and puts in two steps': ({ get, put }) => ({
        async put(key, value, { lifetime, expected }) {
          const present = (await get(key))?.value ?? null;
          await Promise.resolve();
          return expected !== undefined && expected !== present ? false : put(key, value, { lifetime });
        },
      }),
    },
  );
});

describe('the contract suite for login throttles', () => {
  finds<LoginThrottle>(
    (throttle) => checkLoginThrottle(() => throttle),
    () => createLoginThrottle({ perUser: 2, perAddress: 3 }),
    {
      'refuses nobody': () => ({ take: () => undefined }),
      'knows no addresses': ({ take, settle }) => ({
        take: (identifier) => take(identifier, undefined),
        settle: (identifier, _address, outcome) => settle(identifier, undefined, outcome),
      }),
      'treats different spellings of a name as different names': ({ take, settle }) => ({
        take: (identifier, address) => take(Buffer.from(identifier).toString('hex'), address),
        settle: (identifier, address, outcome) =>
          settle(Buffer.from(identifier).toString('hex'), address, outcome),
      }),
      'counts unsettled attempts': ({ settle }) => ({
        settle: (identifier, address, outcome) =>
          settle(identifier, address, outcome === 'unknown' ? 'failure' : outcome),
      }),
      'clears nothing after a success': ({ settle }) => ({
        settle: (identifier, address, outcome) =>
          settle(identifier, address, outcome === 'success' ? 'failure' : outcome),
      }),
    },
  );
});

describe('the contract suite for voters', () => {
  const request = new HttpRequest({
    method: 'GET',
    target: '/',
    rawHeaders: ['Host', 'localhost'],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
  const question: AccessQuestion = {
    attribute: 'read',
    subject: { owner: 'ada' },
    token: undefined,
    roles: new Set(['ROLE_READER']),
    request,
  };
  finds<Voter>(
    (voter) => checkVoter(voter, question),
    () => ({
      name: 'readers',
      vote: ({ attribute, roles }) => ({
        verdict: attribute !== 'read' ? 'abstain' : roles.has('ROLE_READER') ? 'grant' : 'deny',
      }),
    }),
    {
      'answers every question': () => ({ vote: () => ({ verdict: 'deny' }) }),
      'answers none': () => ({ vote: () => ({ verdict: 'abstain' }) }),
      'fails without a subject': ({ vote }) => ({
        vote(asked) {
          assert.ok(asked.subject);
          return vote(asked);
        },
      }),
      'adds roles to the question': ({ vote }) => ({
        vote(asked) {
          (asked.roles as Set<string>).add('ROLE_ADMIN'); // a voter must not do this
          return vote(asked);
        },
      }),
    },
  );
});

describe('the contract suite for user providers', () => {
  const users = (): UserProvider => {
    const known = new Map([['ada', { identifier: 'ada', roles: ['ROLE_READER'], passwordHash: 'old' }]]);
    return {
      name: 'map',
      findUser: (identifier) => known.get(identifier),
      savePasswordHash(user, passwordHash) {
        const present = known.get(user.identifier);
        if (present !== undefined) known.set(user.identifier, { ...present, passwordHash });
      },
    };
  };
  finds<UserProvider>((provider) => checkUserProvider(provider, 'ada'), users, {
    'trims the identifier': ({ findUser }) => ({ findUser: (identifier) => findUser(identifier.trim()) }),
    'compares without case': ({ findUser }) => ({
      findUser: (identifier) => findUser(identifier.toLowerCase()),
    }),
    'finds a user for any identifier': ({ findUser }) => ({ findUser: () => findUser('ada') }),
    'saves no hash': () => ({ savePasswordHash: () => undefined }),
    'finds users in an object': ({ findUser }) => {
      const known: Record<string, unknown> = { ada: findUser('ada') };
      return { findUser: (identifier) => known[identifier] as ReturnType<UserProvider['findUser']> }; // the fault
    },
  });
});

describe('the contract suite for authenticators', () => {
  const ask = (authorization?: string): HttpRequest =>
    new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: authorization === undefined ? ['Host', 'h'] : ['Host', 'h', 'Authorization', authorization],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
  const encoded = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const cases = {
    identifier: 'ada',
    good: () => ask(encoded('ada:secret')),
    malformed: [() => ask('Basic !'), () => ask(encoded('no colon'))],
    foreign: [() => ask(), () => ask('Bearer x')],
  };
  finds<Authenticator>(
    (authenticator) => checkAuthenticator(authenticator, cases),
    () => httpBasic(),
    {
      'supports every request': () => ({ supports: () => true }),
      'supports none': () => ({ supports: () => false }),
      'finds somebody else': ({ authenticate }) => ({
        authenticate: async (request) => ({ ...(await authenticate(request)), identifier: 'eve' }),
      }),
      'lets malformed data pass': ({ authenticate }) => ({
        async authenticate(request) {
          try {
            return await authenticate(request);
          } catch {
            return { identifier: '', badges: [] };
          }
        },
      }),
      'fails with its own error': ({ authenticate }) => ({
        async authenticate(request) {
          try {
            return await authenticate(request);
          } catch (error) {
            throw new TypeError(error instanceof AuthenticationError ? error.detail : '');
          }
        },
      }),
      'has a badge that is never checked': ({ authenticate }) => ({
        authenticate: async (request) => ({
          ...(await authenticate(request)),
          badges: [{ name: 'nothing', isResolved: false } as Badge], // the fault
        }),
      }),
    },
  );
});
