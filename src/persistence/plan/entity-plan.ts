import type { EntityManager, EntityMetadata } from '@mikro-orm/core';
import type { SlugOptions, TrackedMoment } from '../declare/behaviours.js';

/** Source of the value of a tracked field. */
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
  /** Values of the first watched field that count; undefined if every change counts. */
  readonly to: readonly unknown[] | undefined;
  readonly value: ((fact: never, em: EntityManager) => unknown) | undefined;
  readonly nullable: boolean;
}

export interface SlugField extends SlugOptions<Record<string, unknown>> {
  readonly field: string;
  /** Maximum length of a slug in its column; Infinity if there is no limit. */
  readonly maxLength: number;
  /** Whether the slug itself has a value for each language. */
  readonly translated: boolean;
}

/** The declaration for one entity, checked against its metadata. */
export interface EntityPlan {
  readonly meta: EntityMetadata;
  /** Name under which texts and versions are stored: the class, or the root of its single-table inheritance. */
  readonly name: string;
  readonly translated: ReadonlySet<string>;
  readonly fallback: boolean;
  readonly tracked: readonly TrackedField[];
  /** Fields stored in versions; undefined if there are no versions. */
  readonly versioned: ReadonlySet<string> | undefined;
  readonly softDelete:
    | { readonly field: string; readonly timeAware: boolean; readonly hardDelete: boolean }
    | undefined;
  readonly slugs: readonly SlugField[];
}

/** Plans by class name. Entities without behaviours are absent. */
export type EntityPlans = ReadonlyMap<string, EntityPlan>;
