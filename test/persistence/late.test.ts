import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MikroORM } from '@mikro-orm/libsql';
import { createApp, latePersistence } from '#framework';
import { requestUser } from '#http';
import { kernelListener, kernelPriority, requestEvent } from '#kernel';
import { createLocale } from '#locale';
import { createPersistence, withBehaviours } from '#persistence';
import { Article, journalEntities } from './journal-entities.js';

describe('a persistence that opens late', () => {
  it('knows language, user and address of the request that waited for it, and of those after it', async () => {
    let open = (): void => {};
    const opening = new Promise<void>((resolve) => (open = resolve)).then(async () => {
      const orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: journalEntities }));
      await orm.schema.createSchema();
      return createPersistence({ orm });
    });
    const app = createApp({
      persistence: latePersistence(opening),
      locale: createLocale({ enabled: ['en', 'fr'] }),
      extensions: [
        {
          name: 'users',
          listeners: [
            kernelListener(
              requestEvent,
              ({ request }) =>
                request.scope.set(requestUser, () => ({
                  identifier: request.query.get('user') ?? '',
                  roles: [],
                })),
              { name: 'users', priority: kernelPriority.request.firewall },
            ),
          ],
        },
      ],
      configuration: { debug: false, profilerStore: 'off' },
      logHandlers: [],
    });
    app.get('/{_locale}/write', async ({ request, query }) => {
      const em = (await opening).entityManager(request);
      const article = em.create(Article, { title: query.get('title') ?? '', body: '' });
      await em.flush();
      const { locale } =
        (
          await em
            .getConnection()
            .execute<{ locale: string }[]>('select locale from ext_versions order by id desc')
        )[0] ?? {};
      return { by: article.createdBy, from: article.createdFrom !== null, locale };
    });
    app.get('/free', () => 'free');
    const early = app.fetch('/fr/write?user=ada&title=one');
    assert.equal(await (await app.fetch('/free')).text(), 'free');
    open();
    assert.deepEqual(await (await early).json(), { by: 'ada', from: true, locale: 'fr' });
    const late = await app.fetch('/en/write?user=eve&title=two');
    assert.deepEqual(await late.json(), { by: 'eve', from: true, locale: 'en' });
    await app.close();
  });

  it('leaves a failure to whoever waits for it', async () => {
    const opening = Promise.reject<never>(new Error('no such database'));
    const app = createApp({
      persistence: latePersistence(opening),
      configuration: { debug: false, profilerStore: 'off' },
      logHandlers: [],
    });
    app.get('/free', () => 'free');
    app.get('/bound', async () => opening);
    assert.equal((await app.fetch('/free')).status, 200);
    assert.equal((await app.fetch('/bound')).status, 500);
    await app.close();
  });

  it('is waited for while the other parts close, not after them', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let letClose = (): void => {};
    const slow = new Promise<void>((resolve) => (letClose = resolve));
    const app = createApp({
      persistence: latePersistence(new Promise(() => {})),
      extensions: [{ name: 'slow', close: () => slow }],
      configuration: { debug: false, profilerStore: 'off' },
      logHandlers: [],
    });
    const closed = app.close();
    t.mock.timers.tick(2000);
    letClose();
    await closed; // no further tick: a wait that began only now would never end
  });
});
