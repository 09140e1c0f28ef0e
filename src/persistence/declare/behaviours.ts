import type { EntityManager } from '@mikro-orm/core';

/** Name of a field of `Entity`. */
export type FieldOf<Entity> = Extract<keyof Entity, string>;

/** The acting user, as far as persistence needs to know. Applications may pass a richer object. */
export interface ActorUser {
  /** Unique among users; what a text field is filled with. */
  readonly identifier: string;
}

/** Values in the language of the request; the default language stays in the entity's own row. */
export interface TranslatableOptions<Entity> {
  readonly fields: readonly FieldOf<Entity>[];
  /** Shows the default language's value if a translation is missing. Default true; if false, null is shown. */
  readonly fallback?: boolean;
}

/** When a field is filled: once, at every write, or when other fields change. */
export type TrackedMoment = 'create' | 'update' | 'change';

/** How a field is filled; `Fact` is what it is filled with: a date, a user, an address. */
export interface TrackRule<Fact> {
  readonly on: TrackedMoment;
  /** With `change`: the fields watched; `relation.field` watches a field of a related entity. */
  readonly field?: string | readonly string[];
  /** With `change`: only when the first watched field gets this value, or one of these. */
  readonly to?: unknown;
  /** What is written for the fact; default the identifier, the address or the time itself. */
  readonly value?: (fact: Fact, em: EntityManager) => unknown;
}

/** Field → rule, or only its moment. */
export type TrackRules<Entity, Fact> = {
  readonly [Field in FieldOf<Entity>]?: 'create' | 'update' | TrackRule<Fact>;
};

export interface LoggableOptions<Entity> {
  /** Fields kept in versions. Default: every stored field but keys, hidden and tracked ones. */
  readonly fields?: readonly FieldOf<Entity>[];
}

export interface SoftDeleteableOptions<Entity> {
  /** Date field, nullable; set when the entity is removed. */
  readonly field: FieldOf<Entity>;
  /** An entity whose date lies in the future is still shown. Default false. */
  readonly timeAware?: boolean;
  /** Removing a removed entity deletes its row. Default true. */
  readonly hardDelete?: boolean;
}

export interface SlugOptions<Entity> {
  /** Fields from whose text the slug is built, in this order. */
  readonly from: readonly FieldOf<Entity>[];
  /** Follows later changes of those fields. Default true. */
  readonly updatable?: boolean;
  /** No two rows have the same; `-1`, `-2` … are appended. Default true. */
  readonly unique?: boolean;
  /** Unique only among rows that agree in these fields. */
  readonly uniqueWithin?: readonly FieldOf<Entity>[];
  /** Default `-`. */
  readonly separator?: string;
  /** Default `lower`; `camel` is `ThisWay`. */
  readonly style?: 'lower' | 'upper' | 'camel' | 'as-is';
  readonly prefix?: string;
  readonly suffix?: string;
  /** Text → slug, in place of the built-in way. */
  readonly slugify?: (text: string) => string;
}

/** All behaviours that an entity can declare. */
export interface Behaviours<Entity> {
  readonly translatable?: TranslatableOptions<Entity>;
  readonly timestampable?: TrackRules<Entity, Date>;
  readonly blameable?: TrackRules<Entity, ActorUser>;
  readonly ipTraceable?: TrackRules<Entity, string>;
  readonly loggable?: true | LoggableOptions<Entity>;
  readonly softDeleteable?: SoftDeleteableOptions<Entity>;
  readonly sluggable?: { readonly [Field in FieldOf<Entity>]?: SlugOptions<Entity> };
}
