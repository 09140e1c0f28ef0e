import type * as Core from '@mikro-orm/core';
import type {
  AnyEntity,
  ChangeSet,
  EntityManager,
  EntityMetadata,
  MetadataStorage,
  UnitOfWork,
} from '@mikro-orm/core';
import { checkPackage } from '#core/patches';
import { persistenceErrors } from './error-codes.js';

/**
 * MikroORM's core: the application's own copy. A loader such as tsx gives `require` another copy than `import`, whose
 * classes and counters differ, so this must be an import; a static one would fail before our code could report the fix.
 */
export const mikroOrm: typeof Core = await loadCore();

async function loadCore(): Promise<typeof Core> {
  checkPackage('@mikro-orm/core');
  try {
    return await import('@mikro-orm/core');
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
  const touched: boolean | undefined = wrapped.__touched;
  for (const [field, value] of values) entityValues(entity)[field] = value;
  if (touched !== undefined) wrapped.__touched = touched; // MikroORM 7 has no such mark
}

/** Whether the application may have changed an entity; MikroORM 7 knows this only by comparing it with its row. */
export function mayBeChanged(entity: object): boolean {
  return (mikroOrm.helper(entity).__touched as boolean | undefined) !== false; // undefined in MikroORM 7
}

/** Returns an entity's change set; creates an empty update if there is none. */
export function ensureChangeSet(
  uow: UnitOfWork,
  entity: AnyEntity,
  changeSets: Map<object, ChangeSet<AnyEntity>>,
): ChangeSet<AnyEntity> {
  const present = changeSets.get(entity);
  if (present !== undefined) return present;
  // MikroORM 7 makes an empty change set only for a removal; the flush reads its type later.
  uow.computeChangeSet(entity, mikroOrm.ChangeSetType.DELETE);
  const made = uow.getChangeSets().find((one) => one.entity === entity) as ChangeSet<AnyEntity>; // just computed
  made.type = mikroOrm.ChangeSetType.UPDATE;
  const original = uow.getOriginalEntityData(entity);
  if (original !== undefined) made.originalEntity = original;
  changeSets.set(entity, made);
  return made;
}

const preparedUnits = new WeakSet<UnitOfWork>();

/**
 * Calls `before` whenever a unit of work compares its entities with their rows, and the function it returns after that.
 */
export function aroundComparison(uow: UnitOfWork, before: () => () => void): void {
  if (preparedUnits.has(uow)) return;
  preparedUnits.add(uow);
  const compare = uow.computeChangeSets.bind(uow);
  uow.computeChangeSets = () => {
    const after = before();
    try {
      compare();
    } finally {
      after();
    }
  };
}

/** Returns the entity's row as it would be written now, in the database's own types. */
export function rowOf(em: EntityManager, entity: object): FieldValues {
  return em.getComparator().prepareEntity(entity) as FieldValues; // keyed by property name
}

/** Returns all entities' metadata: MikroORM 6 has them in an object, MikroORM 7 in a map. */
export function allMetadata(storage: MetadataStorage): readonly EntityMetadata[] {
  const all: object = storage.getAll();
  return (all instanceof Map ? [...all.values()] : Object.values(all)) as EntityMetadata[]; // keyed by entity
}
