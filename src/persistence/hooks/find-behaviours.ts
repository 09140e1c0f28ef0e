import type { EntityManager } from '@mikro-orm/core';
import { persistenceErrors } from '../orm/error-codes.js';
import { BehaviourSubscriber } from './behaviour-subscriber.js';

/** The behaviours that an entity manager's ORM was started with; undefined where it was started without. */
export function findBehaviours(em: EntityManager): BehaviourSubscriber | undefined {
  for (const subscriber of em.getEventManager().getSubscribers()) {
    if (subscriber instanceof BehaviourSubscriber) return subscriber;
  }
  return undefined;
}

/** The same, where there have to be some. */
export function getBehaviours(em: EntityManager): BehaviourSubscriber {
  const behaviours = findBehaviours(em);
  if (behaviours !== undefined) return behaviours;
  throw persistenceErrors.create('PERSISTENCE_NOT_ENABLED', {});
}
