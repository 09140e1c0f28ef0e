import type { EntityManager, EntityMetadata, EntityProperty } from '@mikro-orm/core';
import { checkOptions } from '#core/options';
import {
  type AnyBehaviours,
  behavioursSchema,
  type TrackedMoment,
  type TrackRule,
} from '../declare/define-behaviours.js';
import { persistenceErrors } from '../orm/error-codes.js';

export interface TrackedField {
  readonly source: 'time' | 'user';
  readonly field: string;
  readonly on: TrackedMoment;
  /** Own fields watched by `change`. */
  readonly watched: readonly string[];
  /** Values of the first watched field that trigger; undefined if every change does. */
  readonly to: readonly unknown[] | undefined;
  readonly value: ((fact: never, em: EntityManager) => unknown) | undefined;
  readonly nullable: boolean;
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
}

/** Plans by class name. Entities without behaviours are absent. */
export type EntityPlans = ReadonlyMap<string, EntityPlan>;

type Rule = 'create' | 'update' | TrackRule<never>;

/** Checks a declaration against the entity and fills in defaults. Throws the first mistake's coded error. */
export function compilePlan(meta: EntityMetadata, behaviours: AnyBehaviours): EntityPlan {
  const location = `The declaration of ${meta.className}`;
  checkOptions(location, behaviours, behavioursSchema);
  const translated = new Set(behaviours.translatable?.fields);
  for (const field of translated) requireText(meta, 'translatable', field);
  const tracked = [
    ...trackedFields(meta, ['timestampable', 'time'], behaviours.timestampable),
    ...trackedFields(meta, ['blameable', 'user'], behaviours.blameable),
  ];
  const versioned = versionedFields(meta, behaviours, tracked);
  if (translated.size > 0) requireOneKey(meta, 'translatable');
  if (versioned !== undefined) requireOneKey(meta, 'loggable');
  const fallback = behaviours.translatable?.fallback ?? true;
  return { meta, name: meta.root.className, translated, fallback, tracked, versioned };
}

function trackedFields(
  meta: EntityMetadata,
  [behaviour, source]: readonly [behaviour: string, source: TrackedField['source']],
  rules: { readonly [field: string]: Rule | undefined } | undefined,
): TrackedField[] {
  return Object.entries(rules ?? {}).flatMap(([field, given]) => {
    if (given === undefined) return [];
    const rule: TrackRule<never> = typeof given === 'string' ? { on: given } : given;
    const property = requireField(meta, behaviour, field);
    const watched = rule.field === undefined ? [] : [rule.field].flat();
    for (const one of watched) requireField(meta, behaviour, one);
    if (property.targetMeta !== undefined && rule.value === undefined) {
      const facts = { behaviour, entity: meta.className, field };
      throw persistenceErrors.create('PERSISTENCE_RELATION_NEEDS_VALUE', facts);
    }
    return [
      {
        source,
        field,
        on: rule.on,
        value: rule.value,
        nullable: property.nullable === true,
        watched,
        to: rule.to === undefined ? undefined : [rule.to].flat(),
      },
    ];
  });
}

function versionedFields(
  meta: EntityMetadata,
  behaviours: AnyBehaviours,
  tracked: readonly TrackedField[],
): ReadonlySet<string> | undefined {
  const { loggable } = behaviours;
  if (loggable === undefined) return undefined;
  if (loggable !== true && loggable.fields !== undefined) {
    for (const field of loggable.fields) requireField(meta, 'loggable', field);
    return new Set(loggable.fields);
  }
  const kept = meta.props.filter(
    (property) =>
      property.primary !== true &&
      property.hidden !== true &&
      property.version !== true &&
      property.persist !== false &&
      property.formula === undefined &&
      !/^(?:Buffer|Uint8Array)$/.test(property.runtimeType) &&
      (property.kind === 'scalar' || property.kind === 'm:1') &&
      !tracked.some(({ field }) => field === property.name),
  );
  return new Set(kept.map(({ name }) => name));
}

function requireField(meta: EntityMetadata, behaviour: string, field: string): EntityProperty {
  const property: EntityProperty | undefined = Object.hasOwn(meta.properties, field)
    ? meta.properties[field]
    : undefined;
  if (property !== undefined) return property;
  throw persistenceErrors.create('PERSISTENCE_UNKNOWN_FIELD', { behaviour, entity: meta.className, field });
}

function requireText(meta: EntityMetadata, behaviour: string, field: string): void {
  const property = requireField(meta, behaviour, field);
  const kind = property.kind === 'scalar' ? property.runtimeType : 'a relation';
  if (kind === 'string') return;
  const facts = { behaviour, entity: meta.className, field, kind };
  throw persistenceErrors.create('PERSISTENCE_FIELD_NOT_TEXT', facts);
}

function requireOneKey(meta: EntityMetadata, behaviour: string): void {
  const count = meta.primaryKeys.length;
  if (count === 1) return;
  throw persistenceErrors.create('PERSISTENCE_COMPOSITE_KEY', { behaviour, entity: meta.className, count });
}
