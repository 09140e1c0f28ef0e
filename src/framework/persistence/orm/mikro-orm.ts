import { createRequire } from 'node:module';
import type * as Core from '@mikro-orm/core';
import type { AnyEntity, ChangeSet, EntityManager, UnitOfWork } from '@mikro-orm/core';
import { checkPackage } from '#core/patches';
import { persistenceErrors } from './error-codes.js';

/**
 * MikroORM's core, loaded with `require`: if the package is missing, an `import` would fail before our code could
 * report the fix. Both return the same module.
 */
export const mikroOrm: typeof Core = loadCore();

function loadCore(): typeof Core {
  checkPackage('@mikro-orm/core');
  try {
    return createRequire(import.meta.url)('@mikro-orm/core') as typeof Core; // as declared by the package's types
  } catch (cause) {
    throw persistenceErrors.create('PERSISTENCE_NO_ORM', {}, { cause });
  }
}

/** Values of an entity or its row, by field. */
export type FieldValues = Record<string, unknown>;

/** The functions below are the only ones that access MikroORM internals. */

/** Returns the row as it was last read or written, in the database's own types. */
export function originalOf(entity: object): FieldValues | undefined {
  return mikroOrm.helper(entity).__originalEntityData as FieldValues | undefined; // keyed by property name
}

export function entityValues(entity: object): FieldValues {
  return entity as FieldValues; // entities are plain objects with named fields
}

/** Returns the entity's key as text; composite keys are joined. */
export function objectIdOf(entity: object): string {
  return String(mikroOrm.helper(entity).getSerializedPrimaryKey());
}

export function isLoaded(entity: object): boolean {
  return mikroOrm.helper(entity).__initialized;
}

/** Sets fields without marking the entity as changed by the application. */
export function setQuietly(entity: object, values: ReadonlyMap<string, unknown>): void {
  const wrapped = mikroOrm.helper(entity);
  const touched = wrapped.__touched;
  for (const [field, value] of values) entityValues(entity)[field] = value;
  wrapped.__touched = touched;
}

/** Returns an entity's change set; creates one (as an update) if there is none. */
export function ensureChangeSet(
  uow: UnitOfWork,
  entity: AnyEntity,
  changeSets: Map<object, ChangeSet<AnyEntity>>,
): ChangeSet<AnyEntity> {
  const present = changeSets.get(entity);
  if (present !== undefined) return present;
  uow.computeChangeSet(entity, 'update' as ChangeSet<AnyEntity>['type']); // the enum's value
  const made = uow.getChangeSets().find((one) => one.entity === entity) as ChangeSet<AnyEntity>; // just computed
  const original = uow.getOriginalEntityData(entity);
  if (original !== undefined) made.originalEntity = original;
  changeSets.set(entity, made);
  return made;
}

export function dropChangeSet(uow: UnitOfWork, entity: AnyEntity): void {
  (uow['changeSets'] as Map<object, unknown>).delete(entity); // private: there is no public API to remove a change set
  mikroOrm.helper(entity).__processing = false;
}

/** Returns the entity's row as it would be written now, in the database's own types. */
export function rowOf(em: EntityManager, entity: object): FieldValues {
  return em.getComparator().prepareEntity(entity) as FieldValues; // keyed by property name
}
