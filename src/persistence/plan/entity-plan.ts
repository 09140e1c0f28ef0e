import type { EntityManager, EntityMetadata } from '@mikro-orm/core';
import type { SlugOptions, TrackedMoment } from '../declare/behaviours.js';

/** Where the value of a tracked field comes from. */
export type FactSource = 'time' | 'user' | 'address';

/** One tracked field, ready to be applied. */
export interface TrackedField {
  readonly source: FactSource;
  readonly field: string;
  readonly on: TrackedMoment;
  /** Own fields watched by `change`. */
  readonly watched: readonly string[];
  /** Fields of related entities watched by `change`. */
  readonly watchedRelated: readonly { readonly relation: string; readonly field: string }[];
  /** Values of the first watched field that count; undefined: every change does. */
  readonly to: readonly unknown[] | undefined;
  readonly value: ((fact: never, em: EntityManager) => unknown) | undefined;
  readonly nullable: boolean;
}

export interface SlugField extends SlugOptions<Record<string, unknown>> {
  readonly field: string;
  /** Longest slug that the column takes; Infinity where it has no limit. */
  readonly maxLength: number;
  /** The slug itself has a value for each language. */
  readonly translated: boolean;
}

/** What was declared for one entity, checked against what the entity has. */
export interface EntityPlan {
  readonly meta: EntityMetadata;
  /** Name under which texts and versions are stored: the class, or the root of its single-table family. */
  readonly name: string;
  readonly translated: ReadonlySet<string>;
  readonly fallback: boolean;
  readonly tracked: readonly TrackedField[];
  /** Fields kept in versions; undefined where none are. */
  readonly versioned: ReadonlySet<string> | undefined;
  readonly softDelete:
    | { readonly field: string; readonly timeAware: boolean; readonly hardDelete: boolean }
    | undefined;
  readonly slugs: readonly SlugField[];
}

/** Class name → plan. Entities without behaviours are absent. */
export type EntityPlans = ReadonlyMap<string, EntityPlan>;
