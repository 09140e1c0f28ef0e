import { Cascade, Reference, Utils, helper } from '../orm/mikro-orm.js';
import type { EntityManager } from '@mikro-orm/core';
import { valuesOf } from '../orm/entity-internals.js';
import type { BehaviourSubscriber } from './behaviour-subscriber.js';
import { isRowRemoved, nowFor } from './soft-delete.js';

/**
 * Removes an entity by setting its date, where that is how it is removed; false where it is to be deleted. It never
 * comes to MikroORM's list of removals: that would take the entity out of others' relations, in their rows too.
 */
export function removeSoftly(em: EntityManager, entity: object, { plans }: BehaviourSubscriber): boolean {
  const plan = plans.get(entity.constructor.name);
  if (plan?.softDelete === undefined || !helper(entity).__managed) return false;
  const now = nowFor(em);
  if (isRowRemoved(entity, plan.softDelete, now)) return !plan.softDelete.hardDelete;
  const { field } = plan.softDelete;
  const isPending = valuesOf(entity)[field] instanceof Date && !plan.softDelete.timeAware;
  if (isPending) return true;
  valuesOf(entity)[field] = now;
  for (const { name, cascade, orphanRemoval } of plan.meta.relations) {
    const cascades = cascade?.some((kind) => kind === Cascade.REMOVE || kind === Cascade.ALL);
    if (cascades !== true && orphanRemoval !== true) continue;
    for (const related of relatedOf(valuesOf(entity)[name])) em.remove(related);
  }
  return true;
}

function relatedOf(value: unknown): object[] {
  if (Utils.isCollection(value)) return value.isInitialized() ? [...value.getItems(false)] : [];
  const related: unknown =
    typeof value === 'object' && value !== null ? Reference.unwrapReference(value) : undefined;
  return Utils.isEntity<object>(related) ? [related] : [];
}
