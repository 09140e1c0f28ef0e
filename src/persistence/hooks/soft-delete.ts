import type { EntityManager, UnitOfWork } from '@mikro-orm/core';
import type { EntityPlan, EntityPlans } from '../plan/entity-plan.js';
import { actorOf, ancestorsOf } from '../unit/actor.js';
import { dropChangeSet, originalOf, valuesOf } from '../orm/entity-internals.js';
import type { FlushWorks } from '../unit/flush-work.js';
import { mikroOrm } from '../orm/mikro-orm.js';

export type SoftDelete = NonNullable<EntityPlan['softDelete']>;

/** Name of the filter that hides removed entities. To find them, disable it: `filters: { softDeleteable: false }`. */
export const softDeleteFilter = 'softDeleteable';

/** Returns whether an entity is removed according to its row, whatever was changed in the entity since. */
export function isRowRemoved(entity: object, { field, timeAware }: SoftDelete, now: Date): boolean {
  return hasPassed(originalOf(entity)?.[field], now, { timeAware });
}

export function nowFor(em: EntityManager): Date {
  return actorOf(em).now?.() ?? new Date();
}

/**
 * Before the flush: turns a removal that remains (from a cascade, for example) into an update that sets the date,
 * unless the row is already removed. Marks updates that set the date as removals.
 */
export function softenRemovals(
  { uow, em }: { readonly uow: UnitOfWork; readonly em: EntityManager },
  plans: EntityPlans,
  works: FlushWorks,
): void {
  const now = nowFor(em);
  for (const { name, type, entity } of uow.getChangeSets()) {
    const softDelete = plans.get(name)?.softDelete;
    if (softDelete === undefined || type === 'create') continue;
    const isRemoved = isRowRemoved(entity, softDelete, now);
    if (type.startsWith('delete')) {
      if (isRemoved && softDelete.hardDelete) continue;
      uow.getRemoveStack().delete(entity);
      dropChangeSet(uow, entity);
      if (isRemoved) continue;
      valuesOf(entity)[softDelete.field] = now;
      uow.computeChangeSet(entity);
    }
    if (!isRemoved && hasPassed(valuesOf(entity)[softDelete.field], now, softDelete)) {
      works.open(entity).isRemoval = true;
    }
  }
}

/** After the flush: forgets removed entities, so that looking one up queries the database with its filter. */
export function forgetRemoved(works: FlushWorks, em: EntityManager): void {
  for (const [entity, work] of works.entries()) {
    if (!work.isRemoval) continue;
    for (const place of [em, ...ancestorsOf(em)]) place.getUnitOfWork(false).getIdentityMap().delete(entity);
  }
}

/** Adds the filter to the entity's metadata. */
export function addSoftDeleteFilter({ meta, softDelete }: EntityPlan): void {
  if (softDelete === undefined) return;
  const { field, timeAware } = softDelete;
  const cond = (_: unknown, __: unknown, em: EntityManager): object =>
    timeAware ? { $or: [{ [field]: null }, { [field]: { $gt: nowFor(em) } }] } : { [field]: null };
  meta.filters[softDeleteFilter] = { name: softDeleteFilter, cond, args: false, default: true };
}

/** Returns whether a date of removal is set and, with `timeAware`, has passed. The date is of the entity or its row. */
function hasPassed(date: unknown, now: Date, { timeAware }: Pick<SoftDelete, 'timeAware'>): boolean {
  if (date === undefined || date === null) return false;
  const time =
    date instanceof Date || typeof date === 'number' || typeof date === 'string' ? new Date(date) : now;
  return !timeAware || time <= now;
}

/**
 * Removes an entity by setting its date. Returns false if the entity has to be deleted instead. It is not added to
 * MikroORM's removals, because that would remove it from the relations of others, in their rows too.
 */
export function removeSoftly(
  em: EntityManager,
  entity: object,
  { plans }: { readonly plans: EntityPlans },
): boolean {
  const plan = plans.get(entity.constructor.name);
  if (plan?.softDelete === undefined || !mikroOrm.helper(entity).__managed) return false;
  const now = nowFor(em);
  if (isRowRemoved(entity, plan.softDelete, now)) return !plan.softDelete.hardDelete;
  const { field } = plan.softDelete;
  const isPending = valuesOf(entity)[field] instanceof Date && !plan.softDelete.timeAware;
  if (isPending) return true;
  valuesOf(entity)[field] = now;
  for (const { name, cascade, orphanRemoval } of plan.meta.relations) {
    const cascades = cascade?.some(
      (kind) => kind === mikroOrm.Cascade.REMOVE || kind === mikroOrm.Cascade.ALL,
    );
    if (cascades !== true && orphanRemoval !== true) continue;
    for (const related of relatedOf(valuesOf(entity)[name])) em.remove(related);
  }
  return true;
}

function relatedOf(value: unknown): object[] {
  if (mikroOrm.Utils.isCollection(value)) return value.isInitialized() ? [...value.getItems(false)] : [];
  const related: unknown =
    typeof value === 'object' && value !== null ? mikroOrm.Reference.unwrapReference(value) : undefined;
  return mikroOrm.Utils.isEntity<object>(related) ? [related] : [];
}
