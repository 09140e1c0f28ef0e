import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EntitySchema, MikroORM } from '@mikro-orm/libsql';
import { createApp } from '#framework';
import type { App } from '#framework';
import { createPersistence, type Persistence, withBehaviours } from '#persistence';
import { findingsOf } from '#profiler';

interface Account {
  id: number;
  name: string;
}
const AccountSchema = new EntitySchema<Account>({
  name: 'Account',
  properties: {
    id: { type: 'integer', primary: true, autoincrement: true },
    name: { type: 'string' },
  },
});

describe('what a request changed and never flushed', () => {
  let persistence: Persistence;
  let app: App;
  before(async () => {
    const orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: [AccountSchema] }));
    await orm.schema.createSchema();
    persistence = createPersistence({ orm });
    const em = persistence.forActor({});
    em.create('Account', { name: 'ada' });
    await em.flush();
    app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
      persistence,
    });
    type Work = (em: Persistence['orm']['em'], ada: Account) => unknown;
    const route = (path: string, work: Work): void =>
      void app.get(path, async ({ request }) => {
        const own = persistence.entityManager(request);
        await work(own, await own.findOneOrFail<Account>('Account', { name: 'ada' }));
        return 'done';
      });
    route('/changed', (_em, ada) => (ada.name = 'bob'));
    route('/same', (_em, ada) => (ada.name = 'ada'));
    route('/read', () => undefined);
    route('/added', (em) => em.persist(em.create('Account', { name: 'cyd' }, { persist: false })));
    route('/thrown', (_em, ada) => {
      ada.name = 'bob';
      throw new Error('before the flush');
    });
    route('/flushed', async (em, ada) => {
      ada.name = 'ada!';
      await em.flush();
      ada.name = 'ada';
      await em.flush();
    });
  });
  after(async () => {
    await app.close();
    await persistence.orm.close(true);
  });

  const findings = async (path: string): Promise<readonly string[]> => {
    const answer = await app.fetch(path, { peer: { address: '127.0.0.1' } });
    await answer.text();
    const found = await app.profiler?.find(answer.headers.get('x-debug-token') ?? '');
    assert.ok(found?.kind === 'found');
    return findingsOf(found.record)
      .map(({ text }) => text)
      .filter((text) => text.includes('flushed'));
  };

  it('is a finding with the entity and its fields', async () => {
    assert.deepEqual(await findings('/changed'), ['Account 1 was changed (name) and never flushed']);
    assert.deepEqual(await findings('/added'), ['Account was added and never flushed']);
  });

  it('is none where nothing differs, everything was flushed, or the request failed', async () => {
    for (const path of ['/read', '/same', '/flushed', '/thrown'])
      assert.deepEqual(await findings(path), [], path);
  });
});
