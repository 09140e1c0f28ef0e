import type { EntityClass, EntityManager, EntitySchema } from '@mikro-orm/core';
import { type OptionNames, optionNames } from '#coded-error';
import { persistenceErrors } from '../orm/error-codes.js';
import { mikroOrm } from '../orm/mikro-orm.js';

/** Name of a field of `Entity`. */
export type FieldOf<Entity> = Extract<keyof Entity, string>;

/** The facts about the acting user that persistence needs. Applications may pass a richer object. */
export interface ActorUser {
  /** Unique among users; the value that a text field is set to. */
  readonly identifier: string;
}

/**
 * Fields with a value for each language, read and written in the language of the request. Values of the default
 * language stay in the entity's own row.
 */
export interface TranslatableOptions<Entity> {
  readonly fields: readonly FieldOf<Entity>[];
  /**
   * Whether the default language's value is shown if a translation is missing; otherwise null is shown. Default true.
   */
  readonly fallback?: boolean;
}

const translatableOptionNames: OptionNames<TranslatableOptions<unknown>> = optionNames('fields fallback');

/** When a field is set: once at creation, at every write, or when other fields change. */
export type TrackedMoment = 'create' | 'update' | 'change';

/** How a field is set. `Fact` is the source of its value: a date, a user or an address. */
export interface TrackRule<Fact> {
  readonly on: TrackedMoment;
  /** With `change`: the watched fields of the entity. */
  readonly field?: string | readonly string[];
  /** With `change`: sets the field only when the first watched field gets this value, or one of these. */
  readonly to?: unknown;
  /** Returns the value to write for the fact. Default: the identifier, the address or the time itself. */
  readonly value?: (fact: Fact, em: EntityManager) => unknown;
}

export const trackRuleNames: OptionNames<TrackRule<never>> = optionNames('on field to value');

/** Rules by field. A moment alone stands for a rule with that moment. */
export type TrackRules<Entity, Fact> = {
  readonly [Field in FieldOf<Entity>]?: 'create' | 'update' | TrackRule<Fact>;
};

export interface LoggableOptions<Entity> {
  /** Fields stored in versions. Default: every stored field except keys, hidden and tracked ones. */
  readonly fields?: readonly FieldOf<Entity>[];
}

const loggableOptionNames: OptionNames<LoggableOptions<unknown>> = optionNames('fields');

/** All behaviours that an entity can declare. */
export interface Behaviours<Entity> {
  readonly translatable?: TranslatableOptions<Entity>;
  readonly timestampable?: TrackRules<Entity, Date>;
  readonly blameable?: TrackRules<Entity, ActorUser>;
  readonly ipTraceable?: TrackRules<Entity, string>;
  readonly loggable?: true | LoggableOptions<Entity>;
}

export const behavioursNames: OptionNames<Behaviours<unknown>> = optionNames(
  'timestampable blameable ipTraceable',
  { translatable: translatableOptionNames, loggable: loggableOptionNames },
);

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
function addBehaviours(key: object, behaviours: AnyBehaviours): void {
  declaredBehaviours.set(key, mergeBehaviours(declaredBehaviours.get(key), behaviours));
}

/** Merges two declarations: options and rules of the later one take precedence, and lists of fields are joined. */
function mergeBehaviours(first: AnyBehaviours | undefined, second: AnyBehaviours): AnyBehaviours {
  const merged: Record<string, unknown> = { ...first };
  const entries: readonly [string, unknown][] = Object.entries(second);
  for (const [name, later] of entries) {
    const earlier = merged[name];
    merged[name] =
      isOptions(earlier) && isOptions(later)
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

// Without this symbol, compiled TC39 decorators get no metadata object that can later be found from the class.
if (Reflect.get(Symbol, 'metadata') === undefined) {
  Object.defineProperty(Symbol, 'metadata', {
    value: Symbol.for('Symbol.metadata'),
    configurable: true,
    writable: true,
  });
}

/**
 * Decorator for fields in both proposals: TC39 (`undefined, context`) and `experimentalDecorators` (`prototype, name`).
 */
export type FieldDecorator = (target: unknown, place: unknown) => void;

type Moment<Fact> = 'create' | 'update' | TrackRule<Fact>;

/** Gives the field a value for each language, which is read and written in the language of the request. */
export function translatable(options: { readonly fallback?: boolean } = {}): FieldDecorator {
  return onField('translatable', (field) => ({ translatable: { ...options, fields: [field] } }));
}

/** Stores the field in versions. */
export function versioned(): FieldDecorator {
  return onField('versioned', (field) => ({ loggable: { fields: [field] } }));
}

/** Sets the field to the time of creation, of the last write, or of a change. */
export function timestampable(rule: Moment<Date>): FieldDecorator {
  return onField('timestampable', (field) => ({ timestampable: { [field]: rule } }));
}

/** Sets the field to the acting user. */
export function blameable(rule: Moment<ActorUser>): FieldDecorator {
  return onField('blameable', (field) => ({ blameable: { [field]: rule } }));
}

/** Sets the field to the acting user's network address. */
export function ipTraceable(rule: Moment<string>): FieldDecorator {
  return onField('ipTraceable', (field) => ({ ipTraceable: { [field]: rule } }));
}

function onField(decorator: string, behaviours: (field: string) => AnyBehaviours): FieldDecorator {
  return (target, place) => {
    if (typeof place === 'string' && typeof target === 'object' && target !== null) {
      addBehaviours(target.constructor, behaviours(place));
      return;
    }
    const { name, metadata } = Object(place) as { name?: unknown; metadata?: unknown }; // a decorator context, otherwise refused below
    if (typeof name !== 'string' || typeof metadata !== 'object' || metadata === null) {
      throw persistenceErrors.create('PERSISTENCE_DECORATOR_PLACE', { decorator });
    }
    addBehaviours(metadata, behaviours(name));
  };
}
