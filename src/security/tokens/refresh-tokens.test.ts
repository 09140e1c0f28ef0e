import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMemoryExpiringStore } from '../stores/expiring-store.js';
import type { SecurityUser } from '../users/user-provider.js';
import { type RefreshOptions, RefreshTokens } from './refresh-tokens.js';

const ada: SecurityUser = { identifier: 'ada', roles: [], passwordHash: 'a' };
const bob: SecurityUser = { identifier: 'bob', roles: [], passwordHash: 'b' };
const people = new Map([ada, bob].map((user) => [user.identifier, user]));
const findUser = (identifier: string): SecurityUser | undefined => people.get(identifier);

function tokens(options: Partial<RefreshOptions> = {}): RefreshTokens {
  return new RefreshTokens({ store: createMemoryExpiringStore(), graceSeconds: 0, ...options });
}

const reasonOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => String((error as { readonly reason?: unknown }).reason), // an AuthenticationError
  );

describe('refresh tokens', () => {
  it('are good once, and each gives the next one', async () => {
    const issued = tokens();
    const first = await issued.begin(ada);
    const second = await issued.rotate(first, findUser);
    assert.equal(second.user, ada);
    assert.notEqual(second.token, first);
    const third = await issued.rotate(second.token, findUser);
    assert.notEqual(third.token, second.token);
  });

  it('end their login, and no other, when one comes back', async () => {
    const issued = tokens();
    const [stolen, other] = [await issued.begin(ada), await issued.begin(ada)];
    const { token } = await issued.rotate(stolen, findUser);
    assert.equal(await reasonOf(issued.rotate(stolen, findUser)), 'theft');
    assert.equal(await reasonOf(issued.rotate(token, findUser)), 'expired');
    assert.equal((await issued.rotate(other, findUser)).user, ada);
  });

  it('give the same successor again in their grace, and are theft behind it', async () => {
    const issued = tokens({ graceSeconds: 60 });
    const first = await issued.begin(ada);
    const { token } = await issued.rotate(first, findUser);
    assert.equal((await issued.rotate(first, findUser)).token, token);
    await issued.rotate(token, findUser);
    assert.equal(await reasonOf(issued.rotate(first, findUser)), 'theft', 'only the one before has a grace');
  });

  it('of one login that are used at once give one successor', async () => {
    const issued = tokens({ graceSeconds: 60 });
    const first = await issued.begin(ada);
    const given = await Promise.all(Array.from({ length: 8 }, () => issued.rotate(first, findUser)));
    assert.equal(new Set(given.map(({ token }) => token)).size, 1);
  });

  it('end with the password, with the user, and with the account', async () => {
    for (const now of [{ ...ada, passwordHash: 'new' }, undefined, { ...ada, isEnabled: false }]) {
      const issued = tokens();
      const token = await issued.begin(ada);
      assert.equal(await reasonOf(issued.rotate(token, () => now)), 'expired');
      assert.equal(await reasonOf(issued.rotate(token, findUser)), 'expired', 'and do not come back');
    }
  });

  it('end so long after the login, however often they were used', async () => {
    const issued = tokens({ absoluteSeconds: -1 });
    assert.equal(await reasonOf(issued.rotate(await issued.begin(ada), findUser)), 'expired');
  });

  it('never throw anything but an AuthenticationError, whatever comes as a token', async () => {
    const issued = tokens();
    const token = await issued.begin(ada);
    const [id = '', secret = ''] = token.split('.');
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.constantFrom('', '.', id, `.${secret}`, '__proto__.x', 'x'.repeat(300))),
        async (text) => {
          const isKnown = text.split('.')[0] === id; // the first such end is a theft
          assert.match(
            await reasonOf(issued.rotate(text, findUser)),
            isKnown ? /^(?:theft|expired)$/ : /^expired$/,
          );
          await issued.revoke(text);
        },
      ),
      { examples: [['.'], ['']] },
    );
  });

  it('agree with a model of logins, whatever is done with them', async () => {
    type Step = { readonly kind: 'begin' | 'rotate' | 'revoke' | 'end'; readonly at: number };
    const step = fc.record<Step>({
      kind: fc.constantFrom('begin', 'rotate', 'rotate', 'rotate', 'revoke', 'end'),
      at: fc.nat({ max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const issued = tokens();
        const known: { token: string; login: number; user: SecurityUser }[] = [];
        const last = new Map<number, string>(); // login → its good token
        for (const { kind, at } of steps) {
          const one = known[at % Math.max(1, known.length)];
          if (kind === 'begin') {
            const user = at % 2 === 0 ? ada : bob;
            const token = await issued.begin(user);
            last.set(known.length, token);
            known.push({ token, login: known.length, user });
          } else if (one === undefined) continue;
          else if (kind === 'revoke') {
            await issued.revoke(one.token);
            last.delete(one.login);
          } else if (kind === 'end') {
            await issued.revokeUser(one.user.identifier);
            const ended = known.filter(({ user }) => user === one.user);
            ended.forEach(({ login }) => last.delete(login));
          } else if (last.get(one.login) === one.token) {
            const next = await issued.rotate(one.token, findUser);
            last.set(one.login, next.token);
            known.push({ ...one, token: next.token });
          } else {
            const expected = last.has(one.login) ? 'theft' : 'expired';
            assert.equal(await reasonOf(issued.rotate(one.token, findUser)), expected);
            last.delete(one.login);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
