import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import type { TrackRule } from '../declare/behaviours.js';
import type { AnyBehaviours } from '../declare/define-behaviours.js';
import { persistenceErrors } from '../orm/error-codes.js';
import type { EntityPlan, FactSource, SlugField, TrackedField } from './entity-plan.js';

type Rule = 'create' | 'update' | TrackRule<never>;

/** Checks a declaration against the entity and fills in its defaults. Throws the coded error of the first mistake. */
export function compilePlan(meta: EntityMetadata, behaviours: AnyBehaviours): EntityPlan {
  const translated = new Set(behaviours.translatable?.fields);
  for (const field of translated) requireText(meta, 'translatable', field);
  const tracked = [
    ...trackedFields(meta, ['timestampable', 'time'], behaviours.timestampable),
    ...trackedFields(meta, ['blameable', 'user'], behaviours.blameable),
    ...trackedFields(meta, ['ipTraceable', 'address'], behaviours.ipTraceable),
  ];
  const slugs = slugFields(meta, behaviours, translated);
  const softDelete = softDeletePlan(meta, behaviours);
  const versioned = versionedFields(meta, behaviours, [
    ...tracked.map(({ field }) => field),
    ...(softDelete === undefined ? [] : [softDelete.field]),
  ]);
  for (const [behaviour, used] of [
    ['translatable', translated.size > 0],
    ['loggable', versioned !== undefined],
    ['sluggable', slugs.length > 0],
  ] as const) {
    if (used) requireOneKey(meta, behaviour);
  }
  const fallback = behaviours.translatable?.fallback ?? true;
  return { meta, name: meta.root.className, translated, fallback, tracked, versioned, softDelete, slugs };
}

function trackedFields(
  meta: EntityMetadata,
  [behaviour, source]: readonly [behaviour: string, source: FactSource],
  rules: { readonly [field: string]: Rule | undefined } | undefined,
): TrackedField[] {
  return Object.entries(rules ?? {}).flatMap(([field, given]) => {
    if (given === undefined) return [];
    const rule: TrackRule<never> = typeof given === 'string' ? { on: given } : given;
    const property = requireField(meta, behaviour, field);
    if (property.targetMeta !== undefined && rule.value === undefined) {
      throw persistenceErrors.create('PERSISTENCE_RELATION_NEEDS_VALUE', {
        behaviour,
        entity: meta.className,
        field,
      });
    }
    return [
      {
        source,
        field,
        on: rule.on,
        value: rule.value,
        nullable: property.nullable === true,
        ...watch(meta, behaviour, rule),
      },
    ];
  });
}

function watch(
  meta: EntityMetadata,
  behaviour: string,
  rule: TrackRule<never>,
): Pick<TrackedField, 'watched' | 'watchedRelated' | 'to'> {
  const fields = rule.field === undefined ? [] : [rule.field].flat();
  const watched: string[] = [];
  const watchedRelated: { relation: string; field: string }[] = [];
  for (const name of fields) {
    const [relation = name, field] = name.split('.', 2);
    const property = requireField(meta, behaviour, relation);
    if (field === undefined) watched.push(name);
    else {
      requireField(property.targetMeta ?? meta, behaviour, field);
      watchedRelated.push({ relation, field });
    }
  }
  const to = rule.to === undefined ? undefined : [rule.to].flat();
  return { watched, watchedRelated, to };
}

function versionedFields(
  meta: EntityMetadata,
  behaviours: AnyBehaviours,
  filledIn: readonly string[],
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
      !filledIn.includes(property.name),
  );
  return new Set(kept.map(({ name }) => name));
}

function softDeletePlan(meta: EntityMetadata, { softDeleteable }: AnyBehaviours): EntityPlan['softDelete'] {
  if (softDeleteable === undefined) return undefined;
  const { field, timeAware = false, hardDelete = true } = softDeleteable;
  requireField(meta, 'softDeleteable', field);
  return { field, timeAware, hardDelete };
}

function slugFields(
  meta: EntityMetadata,
  { sluggable }: AnyBehaviours,
  translated: ReadonlySet<string>,
): SlugField[] {
  return Object.entries(sluggable ?? {}).flatMap(([field, options]) => {
    if (options === undefined) return [];
    const { length } = requireText(meta, 'sluggable', field);
    for (const name of [...options.from, ...(options.uniqueWithin ?? [])])
      requireField(meta, 'sluggable', name);
    const maxLength = length ?? (meta.properties[field]?.columnTypes?.[0] === 'text' ? Infinity : 255);
    return [{ ...options, field, maxLength, translated: translated.has(field) }];
  });
}

function requireField(meta: EntityMetadata, behaviour: string, field: string): EntityProperty {
  const property: EntityProperty | undefined = Object.hasOwn(meta.properties, field)
    ? meta.properties[field]
    : undefined;
  if (property !== undefined) return property;
  throw persistenceErrors.create('PERSISTENCE_UNKNOWN_FIELD', { behaviour, entity: meta.className, field });
}

function requireText(meta: EntityMetadata, behaviour: string, field: string): EntityProperty {
  const property = requireField(meta, behaviour, field);
  if (property.kind === 'scalar' && property.runtimeType === 'string') return property;
  const kind = property.kind === 'scalar' ? property.runtimeType : 'a relation';
  throw persistenceErrors.create('PERSISTENCE_FIELD_NOT_TEXT', {
    behaviour,
    entity: meta.className,
    field,
    kind,
  });
}

function requireOneKey(meta: EntityMetadata, behaviour: string): void {
  const count = meta.primaryKeys.length;
  if (count === 1) return;
  throw persistenceErrors.create('PERSISTENCE_COMPOSITE_KEY', { behaviour, entity: meta.className, count });
}
