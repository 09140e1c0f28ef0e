import { mikroOrm } from '../orm/mikro-orm.js';
import type { EntityClass, EntitySchema } from '@mikro-orm/core';
import type { Behaviours } from './behaviours.js';

/** Behaviours without the type of their entity, as they are stored. */
export type AnyBehaviours = Behaviours<Record<string, unknown>>;

const declaredBehaviours = new WeakMap<object, AnyBehaviours>();

/**
 * Declares behaviours of an entity as data, and returns the entity. Further calls add to earlier declarations; if two
 * declare the same behaviour, the later field wins.
 */
export function defineBehaviours<Entity extends object>(
  target: EntitySchema<Entity>,
  behaviours: Behaviours<Entity>,
): EntitySchema<Entity>;
export function defineBehaviours<Entity extends object>(
  target: EntityClass<Entity>,
  behaviours: Behaviours<Entity>,
): EntityClass<Entity>;
export function defineBehaviours(target: object, behaviours: AnyBehaviours): object {
  addBehaviours(target instanceof mikroOrm.EntitySchema ? classOf(target) : target, behaviours);
  return target;
}

/** Returns the merged declarations of a class and of those it extends; those of the class itself take precedence. */
export function behavioursOf(entityClass: unknown): AnyBehaviours | undefined {
  if (typeof entityClass !== 'function') return undefined;
  const parts = [
    behavioursOf(Object.getPrototypeOf(entityClass)),
    declaredBehaviours.get(metadataOf(entityClass) ?? entityClass),
    metadataOf(entityClass) === undefined ? undefined : declaredBehaviours.get(entityClass),
  ].filter((part) => part !== undefined);
  return parts.reduce<AnyBehaviours | undefined>(mergeBehaviours, undefined);
}

/** Adds to the declaration that is stored under `key`: a class, or the metadata object that TC39 decorators share. */
export function addBehaviours(key: object, behaviours: AnyBehaviours): void {
  declaredBehaviours.set(key, mergeBehaviours(declaredBehaviours.get(key), behaviours));
}

/**
 * Merges two declarations: options and rules of the later one take precedence, lists of fields are joined, and
 * `softDeleteable` is replaced as a whole.
 */
function mergeBehaviours(first: AnyBehaviours | undefined, second: AnyBehaviours): AnyBehaviours {
  const merged: Record<string, unknown> = { ...first };
  const entries: readonly [string, unknown][] = Object.entries(second);
  for (const [name, later] of entries) {
    const earlier = merged[name];
    merged[name] =
      isOptions(earlier) && isOptions(later) && name !== 'softDeleteable'
        ? { ...earlier, ...later, ...joinFields(earlier, later) }
        : later;
  }
  return merged;
}

function isOptions(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function joinFields(...options: readonly Readonly<Record<string, unknown>>[]): {
  readonly fields?: readonly unknown[];
} {
  const fields: unknown[] = options.flatMap((one) => (Array.isArray(one['fields']) ? one['fields'] : []));
  return fields.length === 0 ? {} : { fields };
}

/**
 * Returns the class of a schema, and creates it if needed. MikroORM copies schemas at its start, and only the class
 * survives the copy.
 */
function classOf(schema: EntitySchema<object>): object {
  const { meta } = schema;
  if (meta.class === undefined) schema.setClass({ [meta.className]: class {} }[meta.className] ?? class {});
  return meta.class;
}

function metadataOf(entityClass: object): object | undefined {
  const key = Reflect.get(Symbol, 'metadata');
  if (typeof key !== 'symbol' || !Object.hasOwn(entityClass, key)) return undefined;
  const metadata: unknown = Reflect.get(entityClass, key);
  return typeof metadata === 'object' && metadata !== null ? metadata : undefined;
}
