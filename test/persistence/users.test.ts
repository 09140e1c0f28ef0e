import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EntitySchema, LockMode, MikroORM, PrimaryKeyProp } from '@mikro-orm/libsql';
import { type App, createApp, responseEvent } from 'lookback';
import { requestBody, withArguments } from 'lookback/controller';
import { createPersistence, type Persistence, withBehaviours } from 'lookback/persistence';
import {
  createLookupUserProvider,
  createSecurity,
  currentUser,
  httpBasic,
  type UserProvider,
} from 'lookback/security';
import { createCheapHasher } from '../security/cheap-hasher.js';
import { checkUserProvider } from '../contracts/check-user-provider.js';
import { local } from '../local-peer.js';
import { createTables } from './create-tables.js';

class User {
  id!: number;
  email!: string;
  bio!: string;
  passwordHash!: string;
  version!: number;
  role: Role | null = null;

  get identifier(): string {
    return this.email;
  }

  get roles(): readonly string[] {
    return this.role === null ? [] : [this.role.name];
  }
}

class Role {
  [PrimaryKeyProp]?: 'name';
  name!: string;
}

const RoleSchema = new EntitySchema<Role>({
  class: Role,
  properties: { name: { type: 'string', primary: true } },
});
const UserSchema = new EntitySchema<User>({
  class: User,
  properties: {
    id: { type: 'integer', primary: true, autoincrement: true },
    email: { type: 'string', unique: true },
    bio: { type: 'string' },
    passwordHash: { type: 'string' },
    version: { type: 'integer', version: true },
    role: { kind: 'm:1', entity: () => Role, nullable: true },
    identifier: { type: 'string', persist: false, getter: true },
    roles: { type: 'json', persist: false, getter: true },
  },
});

const bio = {
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: (value: unknown) => ({ value: value as { bio: string } }), // sent by the tests below
  },
};

const old = createCheapHasher('old');
const hasher = createCheapHasher('new');

async function openPersistence(): Promise<Persistence> {
  const orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: [UserSchema, RoleSchema] }));
  await createTables(orm);
  const em = orm.em.fork();
  const passwordHash = await old.hash('open sesame');
  const admin = em.create(Role, { name: 'ROLE_ADMIN' });
  await em.flush();
  for (const email of ['ada@example.org', 'bob@example.org']) {
    const role = email.startsWith('ada') ? admin : null;
    em.create(User, { email, bio: '', passwordHash, version: 1, role, identifier: email, roles: [] });
  }
  await em.flush();
  return createPersistence({ orm });
}

/** The provider from docs/guides/security.md. */
function createProvider(em: () => Persistence['orm']['em']): UserProvider<User> {
  return createLookupUserProvider((email) => em().findOne(User, { email }, { populate: ['role'] }), {
    async savePasswordHash(user, passwordHash) {
      user.passwordHash = passwordHash;
      await em().flush();
    },
  });
}

function createShop(persistence: Persistence): App {
  const app = createApp({
    persistence,
    security: createSecurity({
      provider: createProvider(() => persistence.current()),
      firewalls: [{ name: 'api', stateless: true, authenticators: [httpBasic()] }],
      accessControl: [{ path: '/admin', allow: 'ROLE_ADMIN' }],
      sessions: false,
      hashers: [hasher, old],
    }),
    configuration: { debug: false, profilerStore: 'off', port: 0 },
    logHandlers: [],
  });
  app.put(
    '/me',
    withArguments([currentUser<User>(), requestBody(bio)], async (user, change) => {
      user.bio = change.bio;
      await persistence.current().flush();
      return { bio: user.bio };
    }),
  );
  app.get('/admin', () => 'in');
  app.get('/users/{email}', ({ params }) =>
    persistence.current().findOneOrFail(User, { email: params.email }),
  );
  app.post('/users/{email}', async ({ params }) => {
    const em = persistence.current();
    const { email } = params;
    em.create(User, {
      email,
      bio: '',
      passwordHash: 'canary-hash',
      version: 1,
      identifier: email,
      roles: [],
    });
    await em.flush();
    return { email };
  });
  app.post('/later/{email}', ({ params }) => {
    const { email } = params;
    persistence.current().create(User, {
      email,
      bio: '',
      passwordHash: 'canary-hash',
      version: 1,
      identifier: email,
      roles: [],
    });
    return { email };
  });
  app.on(responseEvent, async ({ request, response }) => {
    if (request.path.startsWith('/later/') && response.status === 200) await persistence.current().flush();
  });
  app.put('/locked/{email}', async ({ params }) => {
    const em = persistence.current();
    const user = await em.findOneOrFail(User, { email: params.email });
    await em.lock(user, LockMode.OPTIMISTIC, user.version - 1);
    return 'never';
  });
  return app;
}

const authorization = (name: string): string =>
  `Basic ${Buffer.from(`${name}@example.org:open sesame`).toString('base64')}`;

describe('users that are entities', () => {
  let persistence: Persistence;
  let app: App;
  let ways: readonly ((path: string, init?: RequestInit) => Promise<Response>)[];
  before(async () => {
    persistence = await openPersistence();
    app = createShop(persistence);
    const { url } = await app.listen();
    ways = [(path, init) => app.fetch(path, { ...init, ...local }), (path, init) => fetch(url + path, init)];
  });
  after(() => app.close());

  const stored = (email: string): Promise<User | null> => persistence.orm.em.fork().findOne(User, { email });

  it('are updated by a five-line PUT /me, for two users at once, over a socket and fetch', async () => {
    for (const [round, ask] of ways.entries()) {
      const put = (name: string): Promise<Response> =>
        ask('/me', {
          method: 'PUT',
          headers: { Authorization: authorization(name), 'Content-Type': 'application/json' },
          body: JSON.stringify({ bio: `${name} ${round}` }),
        });
      const answers = await Promise.all([put('ada'), put('bob')]);
      for (const [index, name] of ['ada', 'bob'].entries()) {
        assert.deepEqual(await answers[index]?.json(), { bio: `${name} ${round}` });
        assert.equal((await stored(`${name}@example.org`))?.bio, `${name} ${round}`);
      }
    }
  });

  it('have the relations that define their roles loaded', async () => {
    for (const [name, status] of [
      ['ada', 200],
      ['bob', 403],
    ] as const) {
      // prettier-ignore
      const answer = await app.fetch('/admin', { headers: { Authorization: authorization(name) } });
      assert.equal(answer.status, status, name);
    }
  });

  it('get a stronger hash when they log in', async () => {
    const email = 'ada@example.org';
    await persistence.orm.em
      .fork()
      .nativeUpdate(User, { email }, { passwordHash: await old.hash('open sesame') });
    const before = await stored(email);
    assert.equal(
      (await app.fetch('/admin', { headers: { Authorization: authorization('ada') } })).status,
      200,
    );
    const after = await stored(email);
    assert.notEqual(after?.passwordHash, before?.passwordHash);
    assert.ok(hasher.handles(after?.passwordHash ?? ''));
    assert.equal(
      (await app.fetch('/admin', { headers: { Authorization: authorization('ada') } })).status,
      200,
    );
  });

  it('satisfy the provider contract', async () => {
    const em = persistence.forActor();
    const provider = createProvider(() => em);
    const cases = checkUserProvider(provider, 'bob@example.org');
    assert.ok(cases.length > 0);
    for (const { name, run } of cases) await assert.doesNotReject(Promise.resolve(run()), name);
  });
});

describe('entity failures', () => {
  let persistence: Persistence;
  let app: App;
  before(async () => {
    persistence = await openPersistence();
    app = createShop(persistence);
  });
  after(() => app.close());

  const problem = async (path: string, method = 'GET'): Promise<unknown> => {
    const answer = await app.fetch(path, { method });
    const text = await answer.text();
    assert.doesNotMatch(
      text,
      /example\.org|canary|insert|select/i,
      'neither values nor statements are shown',
    );
    const { status, detail } = JSON.parse(text) as { status: number; detail: string }; // a problem document
    assert.equal(answer.status, status);
    return [status, detail];
  };

  it('a missing row is 404, a taken unique value and a lost lock are 409', async () => {
    assert.deepEqual(await problem('/users/nobody@example.org'), [404, 'The requested item does not exist.']);
    const taken = [409, 'A value that must be unique is already taken.'];
    assert.deepEqual(await problem('/users/ada@example.org', 'POST'), taken);
    assert.deepEqual(await problem('/later/ada@example.org', 'POST'), taken, 'flushed after the controller');
    const lost = [409, 'It was changed by someone else in the meantime.'];
    assert.deepEqual(await problem('/locked/ada@example.org', 'PUT'), lost);
  });

  it('one of two simultaneous registrations succeeds and one is refused', async () => {
    const answers = await Promise.all(
      [1, 2].map(() => app.fetch('/users/eve@example.org', { method: 'POST' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  });
});
