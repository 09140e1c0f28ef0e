import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from 'lookback';
import { withArguments, withSchemas } from 'lookback/controller';
import { z } from 'zod';
import {
  createLookupUserProvider,
  createMemoryUserProvider,
  createPasswords,
  createSecurity,
  currentUser,
  httpBasic,
  type SecurityUser,
} from 'lookback/security';

class Member implements SecurityUser {
  readonly roles: readonly string[] = [];
  readonly identifier: string;
  readonly passwordHash: string;
  readonly shelf: number;
  constructor(identifier: string, passwordHash: string, shelf: number) {
    this.identifier = identifier;
    this.passwordHash = passwordHash;
    this.shelf = shelf;
  }
}

const hash = await createPasswords().hash('x');
const members = new Map(
  [new Member('ada', hash, 7), new Member('bob', hash, 9)].map((one) => [one.identifier, one]),
);
const configuration = { profilerStore: 'off', debug: false } as const;
const firewalls = [{ name: 'main', stateless: true, authenticators: [httpBasic()] }];
const as = (name: string): RequestInit => ({
  headers: { Authorization: `Basic ${Buffer.from(`${name}:x`).toString('base64')}` },
});

describe("the user's type", () => {
  it('is what the provider returns: in the context, as an argument, and from security', async () => {
    const provider = createLookupUserProvider((name) => members.get(name));
    const security = createSecurity({ provider, firewalls });
    const app = createApp({ configuration, security });
    app.get('/context', ({ user }) => {
      const shelf: number | undefined = user?.shelf;
      // @ts-expect-error members lack this property
      const missing: unknown = user?.shelv;
      return { shelf, missing };
    });
    app.get(
      '/argument',
      withArguments([security.currentUser()], (user) => ({ shelf: user.shelf })),
    );
    app.get(
      '/optional',
      withArguments([security.optionalUser()], (user) => ({ shelf: user?.shelf ?? 0 })),
    );
    app.group({ path: '/group' }, (group) =>
      group.get('/{id}', ({ user, params }) => [user?.shelf, params['id']]),
    );
    app.get('/asked', async ({ request }) => (await security.user(request))?.shelf ?? 0);
    const shelf = z.object({ shelf: z.coerce.number() });
    app.get(
      '/schema',
      withSchemas({ query: shelf }, ({ query, user }) => {
        // @ts-expect-error members lack this property
        const missing: unknown = user?.shelv;
        return { asked: query.shelf, has: user?.shelf, missing };
      }),
    );
    app.post(
      '/schema/{shelf}',
      withSchemas({ params: shelf, body: shelf }, ({ params, body, user }) => {
        // @ts-expect-error members lack this property
        const missing: unknown = user?.shelv;
        return { asked: params.shelf + body.shelf, has: user?.shelf, missing };
      }),
    );
    app.group({ path: '/grouped' }, (group) =>
      group.post(
        '/schema',
        withSchemas({ body: shelf }, ({ body, user }) => ({ asked: body.shelf, has: user?.shelf })),
      ),
    );
    const optional = security.optionalUser();
    // @ts-expect-error an anonymous visitor is not a member
    withArguments([optional], (user) => user.shelf);
    const [ada, bob] = await Promise.all(['ada', 'bob'].map((name) => app.fetch('/context', as(name))));
    assert.deepEqual([await ada?.json(), await bob?.json()], [{ shelf: 7 }, { shelf: 9 }]);
    assert.deepEqual(await (await app.fetch('/argument', as('bob'))).json(), { shelf: 9 });
    assert.deepEqual(await (await app.fetch('/optional')).json(), { shelf: 0 });
    assert.deepEqual(await (await app.fetch('/group/a', as('ada'))).json(), [7, 'a']);
    assert.equal(await (await app.fetch('/asked', as('ada'))).text(), '7');
    await app.close();
  });

  it('can be declared if nothing provides it', () => {
    const named = createApp<Member>({ configuration });
    named.get('/', ({ user }) => user?.shelf.toFixed());
    const plain = createApp({ configuration, security: createSecurity({ firewalls: [] }) });
    // @ts-expect-error only the identifier and the roles are known
    plain.get('/', ({ user }) => user?.shelf);
    const memory = createMemoryUserProvider<Member>([...members.values()]);
    createSecurity({ provider: memory }).currentUser() satisfies {
      resolve(...args: never): unknown;
    };
    // @ts-expect-error a member has a shelf
    memory.put({ identifier: 'eve', roles: [] });
    const loose = createMemoryUserProvider([{ identifier: 'eve', roles: [] }]);
    loose.put({ identifier: 'eve', roles: ['ROLE_ADMIN'], passwordHash: 'x' });
    assert.equal(currentUser<Member>().name, 'user');
  });
});
