import type { EntityManager } from '@mikro-orm/core';
import type { BehaviourSubscriber } from '../hooks/behaviour-subscriber.js';
import { findBehaviours } from '../hooks/find-behaviours.js';
import { setQuietly } from '../orm/entity-internals.js';
import { readAndShow } from '../translate/translation-reader.js';

/** After an entity was read anew: reads its texts anew too, in the language that it was shown in. Edits are gone. */
export async function showAgain(em: EntityManager, entity: object): Promise<void> {
  const behaviours = findBehaviours(em);
  const state = behaviours?.states.find(entity);
  const plan = behaviours?.plans.get(entity.constructor.name);
  if (behaviours === undefined || state === undefined || plan === undefined) return;
  const { states, locales } = behaviours;
  setQuietly(entity, state.base);
  state.base.clear();
  state.shown.clear();
  state.staged.clear();
  await readAndShow([entity], plan, { em, states, locales, locale: state.locale });
}

/** Runs `read` while every entity of the unit of work has its row's own texts. */
export function withRowTexts<Result>(
  em: EntityManager,
  { states }: BehaviourSubscriber,
  read: () => Result,
): Result {
  const hidden: [object, Map<string, unknown>][] = [];
  for (const entity of em.getContext(false).getUnitOfWork(false).getIdentityMap()) {
    const state = states.find(entity);
    if (state === undefined || state.shown.size === 0) continue;
    hidden.push([
      entity,
      new Map([...state.shown.keys()].map((field) => [field, Reflect.get(entity, field)])),
    ]);
    setQuietly(entity, state.base);
  }
  try {
    return read();
  } finally {
    for (const [entity, values] of hidden) setQuietly(entity, values);
  }
}
