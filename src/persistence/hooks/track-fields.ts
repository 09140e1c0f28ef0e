import { mikroOrm } from '../orm/mikro-orm.js';
import type { AnyEntity, ChangeSet, EntityManager, UnitOfWork } from '@mikro-orm/core';
import type { EntityPlans, TrackedField } from '../plan/entity-plan.js';
import { actorOf } from '../unit/actor.js';
import type { Actor } from '../unit/actor.js';
import { ensureChangeSet, valuesOf } from '../orm/entity-internals.js';
import type { EntityWrite } from '../unit/flush-work.js';

/** A change that is about to be written. */
interface Change {
  readonly kind: 'create' | 'update' | 'remove';
  /** Fields that the application changed. */
  readonly changed: ReadonlySet<string>;
}

/** Sets the tracked fields of an entity for one write. Values that the application set itself stay. */
export function trackFields({ em, entity, plan }: EntityWrite, change: Change): void {
  for (const tracked of plan.tracked)
    if (!isSetByHand(entity, tracked, change) && applies(entity, tracked, change)) fill(entity, tracked, em);
}

/** Before the flush: sets fields that watch a field of a related entity, which may be the only entity that changed. */
export function trackRelated(uow: UnitOfWork, plans: EntityPlans, em: EntityManager): void {
  const changeSets = new Map<object, ChangeSet<AnyEntity>>(
    uow.getChangeSets().map((one) => [one.entity, one]),
  );
  for (const entity of uow.getIdentityMap()) {
    for (const tracked of plans.get(entity.constructor.name)?.tracked ?? []) {
      if (!relatedChanged(entity, tracked, changeSets)) continue;
      const changeSet = ensureChangeSet(uow, entity, changeSets);
      if (tracked.field in changeSet.payload) continue;
      fill(entity, tracked, em);
      uow.recomputeSingleChangeSet(entity);
    }
  }
}

function isSetByHand(entity: object, { field }: TrackedField, { kind, changed }: Change): boolean {
  if (kind !== 'create') return changed.has(field);
  const value = valuesOf(entity)[field];
  return value !== undefined && value !== null;
}

function applies(entity: object, tracked: TrackedField, { kind, changed }: Change): boolean {
  if (tracked.on === 'create') return kind === 'create';
  if (tracked.on === 'update') return kind !== 'remove';
  const isSet = (field: string): boolean =>
    valuesOf(entity)[field] !== undefined && valuesOf(entity)[field] !== null;
  const changes =
    kind === 'create' ? tracked.watched.filter(isSet) : tracked.watched.filter((field) => changed.has(field));
  if (changes.length === 0) return false;
  return tracked.to === undefined || tracked.to.includes(valuesOf(entity)[tracked.watched[0] ?? '']);
}

function relatedChanged(
  entity: object,
  { watchedRelated, to }: TrackedField,
  changeSets: ReadonlyMap<object, ChangeSet<AnyEntity>>,
): boolean {
  return watchedRelated.some(({ relation, field }) => {
    const related: unknown = mikroOrm.Reference.unwrapReference(Object(valuesOf(entity)[relation]));
    const change = typeof related === 'object' && related !== null ? changeSets.get(related) : undefined;
    if (change === undefined || !(field in change.payload)) return false;
    return to === undefined || to.includes(valuesOf(change.entity)[field]);
  });
}

function fill(entity: object, tracked: TrackedField, em: EntityManager): void {
  const fact = factOf(actorOf(em), tracked);
  if (fact === undefined) {
    // The actor is unknown: an empty field is better than the previous actor.
    if (tracked.on !== 'create' && tracked.nullable) valuesOf(entity)[tracked.field] = null;
    return;
  }
  const value = tracked.value === undefined ? plainFact(fact) : tracked.value(fact as never, em); // a fact of the rule's source
  valuesOf(entity)[tracked.field] = value;
}

function factOf(
  actor: Actor,
  { source }: TrackedField,
): Date | string | { readonly identifier: string } | undefined {
  if (source === 'time') return actor.now?.() ?? new Date();
  return source === 'user' ? actor.user?.() : actor.address?.();
}

function plainFact(fact: Date | string | { readonly identifier: string }): Date | string {
  return typeof fact === 'string' || fact instanceof Date ? fact : fact.identifier;
}
