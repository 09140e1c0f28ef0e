import type { EntityManager, UnitOfWork } from '@mikro-orm/core';
import type { EntityPlan, EntityPlans } from '../plan/entity-plan.js';
import { actorOf, ancestorsOf } from '../unit/actor.js';
import { dropChangeSet, valuesOf } from '../unit/entity-internals.js';
import type { FlushWorks } from './flush-work.js';

/** Name of the filter that hides removed entities; switch it off to find them: `filters: { softDeleteable: false }`. */
export const softDeleteFilter = 'softDeleteable';

/** Before the flush: turns removals into updates that set the date, unless the entity is removed already. */
export function softenRemovals(
  uow: UnitOfWork,
  plans: EntityPlans,
  works: FlushWorks,
  em: EntityManager,
): void {
  for (const changeSet of uow.getChangeSets()) {
    const softDelete = plans.get(changeSet.name)?.softDelete;
    if (softDelete === undefined || !changeSet.type.startsWith('delete')) continue;
    const { entity } = changeSet;
    const now = actorOf(em).now?.() ?? new Date();
    const removed = valuesOf(entity)[softDelete.field];
    const isRemoved = removed instanceof Date && (!softDelete.timeAware || removed <= now);
    if (isRemoved && softDelete.hardDelete) continue;
    uow.getRemoveStack().delete(entity);
    dropChangeSet(uow, entity);
    if (isRemoved) continue;
    valuesOf(entity)[softDelete.field] = now;
    works.open(entity).isRemoval = true;
    uow.computeChangeSet(entity);
  }
}

/** After the flush: removed entities are forgotten, so that asking for one asks the database (and its filter). */
export function forgetRemoved(works: FlushWorks, em: EntityManager): void {
  for (const [entity, work] of works.entries()) {
    if (!work.isRemoval) continue;
    for (const place of [em, ...ancestorsOf(em)]) place.getUnitOfWork(false).getIdentityMap().delete(entity);
  }
}

/** Declares the filter on the entity. */
export function addSoftDeleteFilter({ meta, softDelete }: EntityPlan): void {
  if (softDelete === undefined) return;
  const { field, timeAware } = softDelete;
  const cond = (_: unknown, __: unknown, em: EntityManager): object =>
    timeAware
      ? { $or: [{ [field]: null }, { [field]: { $gt: actorOf(em).now?.() ?? new Date() } }] }
      : { [field]: null };
  meta.filters[softDeleteFilter] = { name: softDeleteFilter, cond, args: false, default: true };
}
