import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/libsql';
import { createDispatcher } from '#core/events';
import type { Dispatcher } from '#core/events';
import { HttpRequest, HttpResponse, requestLocale, requestUser } from '#core/http';
import { addKernelListeners, kernelPriority, requestEvent, terminateEvent } from '#framework/kernel';
import { createPersistence, versionsOf, withBehaviours } from '#framework/persistence';
import type { Persistence } from '#framework/persistence';
import { Scope, runInScope } from '#core/scope';
import { Article, ArticleSchema, CategorySchema } from './journal-entities.js';
import { createTables } from './create-tables.js';

function requestFrom(address: string, scope = new Scope()): HttpRequest {
  const peer = { address, port: 1, encrypted: false };
  return new HttpRequest(
    { method: 'GET', target: '/', rawHeaders: ['Host', 'localhost'], httpVersion: '1.1', peer },
    { scope },
  );
}

describe('persistence in requests', () => {
  let persistence: Persistence;
  let dispatcher: Dispatcher;
  before(async () => {
    const orm = await MikroORM.init(
      withBehaviours({ dbName: ':memory:', entities: [ArticleSchema, CategorySchema] }),
    );
    await createTables(orm);
    persistence = createPersistence({ orm });
    dispatcher = createDispatcher();
    addKernelListeners(dispatcher, persistence.listeners);
  });
  after(() => persistence.orm.close(true));

  /** The request stage as the kernel runs it: other listeners in between determine locale and user. */
  async function handle<Result>(
    request: HttpRequest,
    facts: { locale?: string; user?: string },
    work: () => Promise<Result>,
  ): Promise<Result> {
    return runInScope(request.scope, async () => {
      const own = createDispatcher();
      addKernelListeners(own, persistence.listeners);
      own.on(requestEvent, () => wait(Math.random() * 5), { priority: kernelPriority.request.router });
      own.on(requestEvent, () => request.scope.set(requestLocale, facts.locale ?? 'en'), {
        priority: kernelPriority.request.locale,
      });
      own.on(
        requestEvent,
        () => {
          const { user } = facts;
          request.scope.set(requestUser, () =>
            user === undefined ? undefined : { identifier: user, roles: [] },
          );
        },
        { priority: kernelPriority.request.firewall },
      );
      await own.dispatch(requestEvent, { request, response: undefined });
      return work();
    });
  }

  it('K5: one hook runs before routing and one after it', () => {
    const priorities = dispatcher.listeners(requestEvent).map(({ priority }) => priority);
    assert.deepEqual(priorities, [
      kernelPriority.request.persistenceBefore,
      kernelPriority.request.persistenceAfter,
    ]);
    assert.ok(kernelPriority.request.persistenceBefore > kernelPriority.request.router);
    assert.ok(kernelPriority.request.persistenceAfter < kernelPriority.request.locale);
  });

  it('K6: interleaved requests write with their own language and user', async () => {
    const shared = await handle(requestFrom('192.0.2.99'), {}, async () => {
      const em = persistence.current();
      const article = em.create(Article, { title: 'Shared', body: '' });
      await em.flush();
      return article.id;
    });
    const locales = ['en', 'fr', 'de', 'it', 'es', 'nl', 'sv', 'pl'];
    await Promise.all(
      locales.map((locale, index) => {
        const request = requestFrom(`192.0.2.${index}`);
        return handle(request, { locale, user: `user-${locale}` }, async () => {
          const em = persistence.entityManager(request);
          assert.equal(em, persistence.current());
          const article = await em.findOneOrFail(Article, shared);
          await wait(Math.random() * 5); // in any order
          article.title = `Title ${locale}`;
          const own = em.create(Article, { title: `Of ${locale}`, body: '' });
          await em.flush();
          assert.equal(own.createdBy, `user-${locale}`);
          assert.equal((await versionsOf(em, own))[0]?.user, `user-${locale}`);
        });
      }),
    );
    for (const locale of locales) {
      const title = await handle(
        requestFrom('::1'),
        { locale },
        async () => (await persistence.current().findOneOrFail(Article, shared)).title,
      );
      assert.equal(title, `Title ${locale}`);
    }
  });

  it('have one unit of work each, which writes only when asked to and is discarded at the end', async () => {
    const request = requestFrom('192.0.2.1');
    await handle(request, {}, async () => {
      const em = await persistence.argument.resolve(request);
      assert.equal(persistence.entityManager(request), em);
      em.create(Article, { title: 'Never flushed', body: '' });
      assert.equal(await em.count(Article, { title: 'Never flushed' }), 0);
      await dispatcher.dispatch(terminateEvent, {
        request,
        response: new HttpResponse(''),
        sent: {} as never,
      }); // not read here
      assert.equal(em.getUnitOfWork().getPersistStack().size, 0);
      assert.notEqual(persistence.entityManager(request), em);
    });
    assert.equal(await persistence.forActor({}).count(Article, { title: 'Never flushed' }), 0);
  });

  it('a transaction is written completely or not at all', async () => {
    const request = requestFrom('192.0.2.1');
    const make = (title: string, fail: boolean): Promise<void> =>
      persistence.entityManager(request).transactional(async (em) => {
        em.create(Article, { title, body: '' });
        await em.flush();
        if (fail) throw new Error('changed my mind');
      });
    await handle(request, { user: 'ada' }, async () => {
      await make('Kept whole', false);
      await assert.rejects(make('Rolled back', true), /changed my mind/);
      const em = persistence.entityManager(request);
      assert.equal((await em.findOneOrFail(Article, { title: 'Kept whole' })).createdBy, 'ada');
      assert.equal(await em.count(Article, { title: 'Rolled back' }), 0);
      await em.begin();
      em.create(Article, { title: 'Left open', body: '' });
      await em.flush();
    });
    await dispatcher.dispatch(terminateEvent, { request, response: new HttpResponse(''), sent: {} as never }); // not read here
    assert.equal(await persistence.forActor({}).count(Article, { title: 'Left open' }), 0);
  });

  it('outside a request there is no unit of work, and the error says what to do', () => {
    assert.throws(() => persistence.current(), { code: 'PERSISTENCE_NO_REQUEST', fix: /forActor/ });
  });
});
