import type { EntityClass, EntityManager, EntitySchema } from '@mikro-orm/core';
import {
  anObject,
  anything,
  callable,
  checkValue,
  either,
  flag,
  listOf,
  namesTo,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  type OptionType,
  optionType,
  required,
  text,
} from '#core/options';
import { mikroOrm } from '../orm/mikro-orm.js';

export type FieldOf<Entity> = Extract<keyof Entity, string>;

/** The acting user's properties that persistence needs. Applications may pass a richer object. */
export interface ActorUser {
  /** Unique among users; the value written to text fields. */
  readonly identifier: string;
}

/** Fields with a value for each language; the default language's values are in the entity's own row. */
export interface TranslatableOptions<Entity> {
  readonly fields: readonly FieldOf<Entity>[];
  /** Whether to show the default language's value if a translation is missing; otherwise null. Default true. */
  readonly fallback?: boolean;
}

/** When a field is set: once at creation, at every write, or when other fields change. */
export type TrackedMoment = 'create' | 'update' | 'change';

/** How a field is set. `Fact` is where its value comes from: a date or a user. */
export interface TrackRule<Fact> {
  readonly on: TrackedMoment;
  /** With `change`: the entity's watched fields. */
  readonly field?: string | readonly string[];
  /** With `change`: sets the field only when the first watched field changes to this value, or one of these. */
  readonly to?: unknown;
  /** Returns the value to write. Default: the identifier or the time itself. */
  readonly value?: (fact: Fact, em: EntityManager) => unknown;
}

export const trackRuleSchema: OptionsSchema<TrackRule<never>> = optionsSchema<TrackRule<never>>({
  on: required(oneOf('create', 'update', 'change')),
  field: either(text, listOf(text)),
  to: anything(),
  value: callable(),
});

/** Rules by field. A moment is short for a rule with that moment. */
export type TrackRules<Entity, Fact> = {
  readonly [Field in FieldOf<Entity>]?: 'create' | 'update' | TrackRule<Fact>;
};

export interface LoggableOptions<Entity> {
  /** Fields stored in versions. Default: every stored field except keys, hidden and tracked ones. */
  readonly fields?: readonly FieldOf<Entity>[];
}

/** All behaviours that an entity can declare. */
export interface Behaviours<Entity> {
  readonly translatable?: TranslatableOptions<Entity>;
  readonly timestampable?: TrackRules<Entity, Date>;
  readonly blameable?: TrackRules<Entity, ActorUser>;
  readonly loggable?: true | LoggableOptions<Entity>;
}

type Rules = NonNullable<Behaviours<Record<string, unknown>>['timestampable']>;
const rules = namesTo(either(oneOf('create', 'update'), trackRuleSchema)) as OptionType<Rules>; // for any field

export const behavioursSchema: OptionsSchema<AnyBehaviours> = optionsSchema<AnyBehaviours>({
  translatable: optionsSchema<TranslatableOptions<Record<string, unknown>>>({
    fields: required(listOf(text)),
    fallback: flag,
  }),
  timestampable: rules,
  blameable: rules as OptionType<unknown> as OptionType<NonNullable<AnyBehaviours['blameable']>>, // both have the same form
  loggable: either(
    oneOf(true),
    optionsSchema<LoggableOptions<Record<string, unknown>>>({ fields: listOf(text) }),
  ),
});

/** Behaviours without the type of their entity, as they are stored. */
export type AnyBehaviours = Behaviours<Record<string, unknown>>;

const declaredBehaviours = new WeakMap<object, AnyBehaviours>();

const entityDeclaration = optionType<object>(
  'an entity class or an EntitySchema',
  (value) => typeof value === 'function' || value instanceof mikroOrm.EntitySchema,
);

/**
 * Declares an entity's behaviours as data, and returns the entity. Further calls add to earlier declarations; if two
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
  checkValue('defineBehaviours()', 'target', target, entityDeclaration);
  checkValue('defineBehaviours()', 'behaviours', behaviours, anObject());
  const key = target instanceof mikroOrm.EntitySchema ? classOf(target) : target;
  declaredBehaviours.set(key, mergeBehaviours(declaredBehaviours.get(key), behaviours));
  return target;
}

/** Returns the merged declarations on a class and its base classes; the class's own declarations take precedence. */
export function behavioursOf(entityClass: unknown): AnyBehaviours | undefined {
  if (typeof entityClass !== 'function') return undefined;
  const inherited = behavioursOf(Object.getPrototypeOf(entityClass));
  const own = declaredBehaviours.get(entityClass);
  return own === undefined ? inherited : mergeBehaviours(inherited, own);
}

/** Merges two declarations: the later one's options and rules take precedence. */
function mergeBehaviours(first: AnyBehaviours | undefined, second: AnyBehaviours): AnyBehaviours {
  const merged: Record<string, unknown> = { ...first };
  const entries: readonly [string, unknown][] = Object.entries(second);
  for (const [name, later] of entries)
    merged[name] = typeof later === 'object' ? Object.assign({}, merged[name], later) : later;
  return merged;
}

/** Returns a schema's class, created if needed: MikroORM copies schemas at startup, and only the class survives. */
function classOf(schema: EntitySchema<object>): object {
  const { meta } = schema;
  if (meta.class === undefined) schema.setClass({ [meta.className]: class {} }[meta.className] ?? class {});
  return meta.class;
}
