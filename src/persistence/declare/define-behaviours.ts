import { EntitySchema } from '../orm/mikro-orm.js';
import type { EntityClass } from '@mikro-orm/core';
import type { Behaviours } from './behaviours.js';

/** Behaviours with the entity's type left behind: what is stored and read back. */
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
  const key = target instanceof EntitySchema ? classOf(target) : target;
  declaredBehaviours.set(key, mergeBehaviours(declaredBehaviours.get(key), behaviours));
  return target;
}

/** Declarations of a class and of those it extends, the nearest last. */
export function behavioursOf(entityClass: unknown): AnyBehaviours | undefined {
  if (typeof entityClass !== 'function') return undefined;
  const parts = [
    behavioursOf(Object.getPrototypeOf(entityClass)),
    declaredBehaviours.get(metadataOf(entityClass) ?? entityClass),
    metadataOf(entityClass) === undefined ? undefined : declaredBehaviours.get(entityClass),
  ].filter((part) => part !== undefined);
  return parts.reduce<AnyBehaviours | undefined>(mergeBehaviours, undefined);
}

/** Adds to the declaration kept under `key`: a class, or the metadata object that TC39 decorators share. */
export function addBehaviours(key: object, behaviours: AnyBehaviours): void {
  declaredBehaviours.set(key, mergeBehaviours(declaredBehaviours.get(key), behaviours));
}

function mergeBehaviours(first: AnyBehaviours | undefined, second: AnyBehaviours): AnyBehaviours {
  if (first === undefined) return second;
  return {
    ...first,
    ...second,
    ...mergeRules(first, second),
    ...mergeFieldLists(first, second),
  };
}

function mergeRules(first: AnyBehaviours, second: AnyBehaviours): AnyBehaviours {
  return {
    ...both('timestampable', first, second),
    ...both('blameable', first, second),
    ...both('ipTraceable', first, second),
    ...both('sluggable', first, second),
  };
}

function both<Name extends keyof AnyBehaviours>(
  name: Name,
  first: AnyBehaviours,
  second: AnyBehaviours,
): AnyBehaviours {
  if (first[name] === undefined || second[name] === undefined) return {};
  return { [name]: { ...Object(first[name]), ...Object(second[name]) } };
}

function mergeFieldLists(first: AnyBehaviours, second: AnyBehaviours): AnyBehaviours {
  const translatable =
    first.translatable !== undefined && second.translatable !== undefined
      ? {
          ...first.translatable,
          ...second.translatable,
          fields: [...first.translatable.fields, ...second.translatable.fields],
        }
      : undefined;
  const loggable =
    typeof first.loggable === 'object' && typeof second.loggable === 'object'
      ? { fields: [...(first.loggable.fields ?? []), ...(second.loggable.fields ?? [])] }
      : undefined;
  return { ...(translatable && { translatable }), ...(loggable && { loggable }) };
}

/** A schema without a class is copied when the ORM starts; a class is the one thing that survives the copy. */
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
