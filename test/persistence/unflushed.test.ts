import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EntitySchema, MikroORM } from '@mikro-orm/libsql';
import { type App, createApp } from 'lookback';
import { createPersistence, type Persistence, withBehaviours } from 'lookback/persistence';
import { findingsOf } from 'lookback/profiler';
import { until } from '../until.js';
import { createTables } from './create-tables.js';

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

describe('writes that a request did not flush or await', () => {
  let persistence: Persistence;
  let app: App;
  const logged: string[] = [];
  let end = (): void => {};
  const isOver = new Promise<void>((resolve) => (end = resolve));
  before(async () => {
    const orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: [AccountSchema] }));
    await createTables(orm);
    persistence = createPersistence({ orm, log: () => app.log });
    const em = persistence.forActor({});
    em.create('Account', { name: 'ada' });
    await em.flush();
    app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [{ handle: ({ message }) => void logged.push(message) }],
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
    route('/removed', (em, ada) => {
      ada.name = 'bob';
      em.remove(ada);
    });
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
    route('/unawaited', (em) => {
      em.create('Account', { name: 'dee' });
      void em.flush();
    });
    route('/late', (em) => {
      em.create('Account', { name: 'fay' });
      void isOver.then(() => em.flush());
    });
    route('/unread', (em) => void em.find('Account', {}));
    route('/transaction', (em) => {
      void em.transactional(async (inner) => {
        await inner.count('Account');
        inner.create('Account', { name: 'eli' });
      });
    });
  });
  after(async () => {
    await app.close();
    await persistence.orm.close(true);
  });

  const findings = async (path: string, word = 'never flushed'): Promise<readonly string[]> => {
    const answer = await app.fetch(path, { peer: { address: '127.0.0.1' } });
    await answer.text();
    const found = await app.profiler?.find(answer.headers.get('x-debug-token') ?? '');
    assert.ok(found?.kind === 'found');
    return findingsOf(found.record)
      .map(({ text }) => text)
      .filter((text) => text.includes(word));
  };

  let url: string | undefined;
  const served = async (): Promise<string> => (url ??= (await app.listen({ port: 0 })).url);

  it('a change that was never flushed is a finding with the entity and its fields', async () => {
    assert.deepEqual(await findings('/changed'), ['Account 1 was changed (name) and never flushed']);
    assert.deepEqual(await findings('/added'), ['Account was added and never flushed']);
    assert.deepEqual(await findings('/removed'), ['Account 1 was removed and never flushed']);
  });

  it('nothing is reported if nothing changed, everything was flushed, or the request failed', async () => {
    for (const path of ['/read', '/same', '/flushed', '/thrown'])
      assert.deepEqual(await findings(path), [], path);
  });

  const count = (name: string): Promise<number> => persistence.forActor({}).count('Account', { name });

  it('a flush that the controller did not await stores every row', async () => {
    for (let times = 0; times < 20; times++) assert.equal((await app.fetch('/unawaited')).status, 200);
    await until(async () => (await count('dee')) === 20);
  });

  it('a flush or transaction that was not awaited is a finding and a warning in the log, with its line', async () => {
    for (const [path, what] of [
      ['/unawaited', 'flush'],
      ['/transaction', 'transaction'],
    ] as const) {
      logged.length = 0;
      const found = await findings(path, 'The write to the database at');
      assert.equal(found.length, 1, path);
      const location = /test\/persistence\/unflushed\.test\.[jt]s:\d+/;
      assert.match(found[0] ?? '', location);
      const warning = logged.find((line) => line.includes('was not awaited')) ?? '';
      assert.match(warning, location);
      assert.ok(warning.startsWith(`The ${what} at `), warning);
    }
    assert.equal(await count('eli'), 1);
  });

  it('a flush that was not awaited, but ends before the last byte is sent, is reported as well', async () => {
    for (const path of ['/unawaited', '/transaction', '/flushed']) {
      const answer = await fetch(`${await served()}${path}`);
      await answer.text();
      const token = answer.headers.get('x-debug-token') ?? '';
      const found = await until(async () => {
        const record = await app.profiler?.find(token);
        return record?.kind === 'found' && findingsOf(record.record);
      });
      const texts = found
        .map(({ text }) => text)
        .filter((text) => text.startsWith('The write to the database at'));
      assert.equal(texts.length, path === '/flushed' ? 0 : 1, `${path}: ${texts.join()}`);
    }
  });

  it('a query that was not awaited is a finding too, even if it ends before the last byte is sent', async () => {
    for (let times = 0; times < 3; times++) {
      const answer = await fetch(`${await served()}/unread`);
      await answer.text();
      const token = answer.headers.get('x-debug-token') ?? '';
      const found = await until(async () => {
        const record = await app.profiler?.find(token);
        const late = record?.kind === 'found' ? findingsOf(record.record) : [];
        assert.ok(!late.some(({ text }) => text.includes('never flushed')));
        return late.find(({ text }) => text.startsWith('Not awaited: a query'));
      });
      assert.match(found.text, /^Not awaited: a query (?:began [\d.]+ m?s|ended) after the response/);
    }
  });

  it('a flush that begins after the response is logged with its line, and no longer writes entities added earlier', async () => {
    logged.length = 0;
    assert.deepEqual(await findings('/late'), ['Account was added and never flushed']);
    end();
    const found = await until(() => logged.find((line) => line.includes('started after the response')));
    assert.match(found, /^The flush at .*unflushed\.test\.[jt]s:\d+ /);
    assert.equal(await count('fay'), 0);
  });
});
