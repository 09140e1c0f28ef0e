import type { EntityManager } from '@mikro-orm/core';

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

/** When a field is set: once at creation, at every write, or when other fields change. */
export type TrackedMoment = 'create' | 'update' | 'change';

/** How a field is set. `Fact` is the source of its value: a date, a user or an address. */
export interface TrackRule<Fact> {
  readonly on: TrackedMoment;
  /** With `change`: the watched fields; `relation.field` watches a field of a related entity. */
  readonly field?: string | readonly string[];
  /** With `change`: sets the field only when the first watched field gets this value, or one of these. */
  readonly to?: unknown;
  /** Returns the value to write for the fact. Default: the identifier, the address or the time itself. */
  readonly value?: (fact: Fact, em: EntityManager) => unknown;
}

/** Rules by field. A moment alone stands for a rule with that moment. */
export type TrackRules<Entity, Fact> = {
  readonly [Field in FieldOf<Entity>]?: 'create' | 'update' | TrackRule<Fact>;
};

export interface LoggableOptions<Entity> {
  /** Fields stored in versions. Default: every stored field except keys, hidden and tracked ones. */
  readonly fields?: readonly FieldOf<Entity>[];
}

export interface SoftDeleteableOptions<Entity> {
  /** Date field, nullable; set when the entity is removed. */
  readonly field: FieldOf<Entity>;
  /** Whether an entity with a date in the future is still shown. Default false. */
  readonly timeAware?: boolean;
  /** Whether removing an entity that is already removed deletes its row. Default true. */
  readonly hardDelete?: boolean;
}

export interface SlugOptions<Entity> {
  /** Fields from whose text the slug is built, in this order. */
  readonly from: readonly FieldOf<Entity>[];
  /** Whether the slug follows later changes of those fields. Default true. */
  readonly updatable?: boolean;
  /** Whether the slug is unique: `-1`, `-2` … are appended. Default true. */
  readonly unique?: boolean;
  /** Unique only among rows that agree in these fields. */
  readonly uniqueWithin?: readonly FieldOf<Entity>[];
  /** Default `-`. */
  readonly separator?: string;
  /** Default `lower`; `camel` is `ThisWay`. */
  readonly style?: 'lower' | 'upper' | 'camel' | 'as-is';
  readonly prefix?: string;
  readonly suffix?: string;
  /** Converts text to a slug, instead of the built-in conversion. */
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
