import { mikroOrm } from './orm/mikro-orm.js';
import type { EntityManager } from '@mikro-orm/core';
import { removeSoftly } from './hooks/soft-delete.js';
import { findBehaviours } from './hooks/behaviour-subscriber.js';
import { watchBypasses } from './hooks/watch-bypasses.js';
import { showAgain, withRowTexts } from './query/translations.js';
import { ancestorsOf, setActor } from './unit/actor.js';
import type { Actor } from './unit/actor.js';

/**
 * Creates a fork of `em` that works for `actor`, with its own unit of work, which is written only when `flush` is
 * called. Forks of it have the same actor; inside its own `transactional` it acts as the transaction's entity manager.
 */
export function forkFor<Em extends EntityManager>(
  em: Em,
  actor: Actor,
  options: Parameters<EntityManager['fork']>[0] = {},
): Em {
  return bind(
    em.fork({ flushMode: mikroOrm.FlushMode.COMMIT, useContext: true, ...options }),
    actor,
    undefined,
  );
}

function bind<Em extends EntityManager>(em: Em, actor: Actor, parent: EntityManager | undefined): Em {
  setActor(em, actor, parent);
  ignoreForeignContexts(em);
  const watched = findBehaviours(em);
  if (watched !== undefined) watchBypasses(em, watched);
  const fork = em.fork.bind(em);
  let forksRows = false;
  em.fork = (options) => bind(fork(options), forksRows ? { ...actor, locale: () => undefined } : actor, em);

  const refresh = em.refresh.bind(em);
  const refreshTexts = async (...args: Parameters<EntityManager['refresh']>): Promise<unknown> => {
    forksRows = true; // MikroORM forks synchronously, and this fork must load the row's own texts
    const refreshing = refresh(...args);
    forksRows = false;
    const refreshed = await refreshing;
    if (refreshed !== null) await showAgain(em, args[0]);
    return refreshed;
  };
  em.refresh = refreshTexts as typeof em.refresh; // returns what the original returns

  const remove = em.remove.bind(em);
  em.remove = (given) => {
    const behaviours = findBehaviours(em);
    const entities = entitiesOf(given);
    if (behaviours === undefined || entities === undefined) return remove(given);
    return remove(entities.filter((entity) => !removeSoftly(em.getContext(), entity, behaviours)));
  };

  const storeCache = em.storeCache.bind(em);
  em.storeCache = (config, key, data) => {
    const behaviours = findBehaviours(em);
    if (behaviours === undefined || typeof data !== 'function') return storeCache(config, key, data);
    // All languages share the cache, so it stores the rows' own texts.
    return storeCache(config, key, () => withRowTexts(em, behaviours, (): unknown => data()));
  };
  return em;
}

/** MikroORM finds the current transaction by asynchronous context. A transaction of another actor is ignored. */
function ignoreForeignContexts<Em extends EntityManager>(em: Em): void {
  const getContext = em.getContext.bind(em);
  em.getContext = (validate) => {
    const found = getContext(validate);
    return found === em || ancestorsOf(found).includes(em) ? found : em;
  };
}

/**
 * Returns the entities that `remove` was called with: one entity, a reference, or several. Returns undefined for an
 * argument that MikroORM will refuse.
 */
function entitiesOf(given: unknown): object[] | undefined {
  const list: unknown[] = mikroOrm.Utils.isEntity(given, true) || !isIterable(given) ? [given] : [...given];
  const entities = list
    .filter((one) => mikroOrm.Utils.isEntity<object>(one, true))
    .map((one) => mikroOrm.Reference.unwrapReference(one));
  return entities.length === list.length ? entities : undefined;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
